-- Where each trail was last anchored, and what its last verification found. It says where to look and proves nothing:
-- whoever could change the trail could change this, too. Times are UTC, of the database.
CREATE TABLE trail_care (
    environment text PRIMARY KEY REFERENCES environments,
    anchored_seq bigint CHECK (anchored_seq >= 1),
    anchored_hash text CHECK (length(anchored_hash) = 64),
    anchored_at timestamptz,
    anchored_in text CHECK (anchored_in IN ('log', 'command')),
    anchored_key text,
    verified_first bigint CHECK (verified_first >= 1),
    verified_last bigint CHECK (verified_last >= verified_first),
    verified_at timestamptz,
    verified_run text,
    broken_code text,
    broken_seq bigint,
    CHECK (num_nulls(anchored_seq, anchored_hash, anchored_at, anchored_in) IN (0, 4)),
    CHECK (num_nulls(verified_first, verified_last, verified_at) IN (0, 3)),
    CHECK (num_nulls(broken_code, broken_seq) IN (0, 2)),
    CHECK (broken_code IS NULL OR verified_at IS NOT NULL)
);
