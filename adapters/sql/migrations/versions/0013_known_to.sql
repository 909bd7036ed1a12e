-- Whoever makes a key, or replaces its secret, has seen it and could come with it. Of keys that are older than this
-- column nobody knows any more: the audit trail says who made them.
ALTER TABLE credentials
    ADD COLUMN known_to text[] NOT NULL DEFAULT '{}',
    ADD CONSTRAINT credentials_membership_unseen CHECK (person IS NULL OR known_to = '{}');
