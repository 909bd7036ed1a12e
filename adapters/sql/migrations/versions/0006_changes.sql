-- Limits that come later than a request: what waits for a proof that it fits (governor.domain.late_limits).

-- The limits that a request holds without a proof that it fits under them; '*': any amount limit.
ALTER TABLE refund_requests ADD COLUMN unproven text[] NOT NULL DEFAULT '{}';
CREATE INDEX refund_requests_unproven ON refund_requests (environment, id)
    WHERE unproven <> '{}' AND state IN ('queued', 'pending_approval');

-- What becomes of a request that a later limit has no room for: it waits, held, or is refused and released.
ALTER TABLE environments ADD COLUMN late_limits text NOT NULL DEFAULT 'hold' CHECK (late_limits IN ('hold', 'refuse'));
