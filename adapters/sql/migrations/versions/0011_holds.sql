-- What approvers are shown of a hold: that its time runs out, and who asks how often. Times are UTC.

-- When people are told, once, that a hold's time runs out, where the environment wants that.
ALTER TABLE refund_requests ADD COLUMN expiring_at timestamptz;
UPDATE refund_requests SET expiring_at = expires_at - (expires_at - created_at) / 4 WHERE state = 'pending_approval';
CREATE INDEX refund_requests_expiring ON refund_requests (environment, expiring_at)
    WHERE state = 'pending_approval' AND expiring_at IS NOT NULL;
ALTER TABLE environments ADD COLUMN expiry_notices boolean NOT NULL DEFAULT true;

-- What one requester, or one customer, has asked for lately; what one person has decided. These begin with whom they
-- are about: by the environment alone they would be no better than any other index, and no plan must think so.
CREATE INDEX refund_requests_requester ON refund_requests (requested_by, environment, created_at);
CREATE INDEX refund_requests_customer ON refund_requests (customer, environment, created_at) WHERE customer IS NOT NULL;
CREATE INDEX votes_person ON votes (person, decided_at);
