-- Whoever decides a hold waits until the approvers in whose places they do are found: not among every key there ever was.
CREATE INDEX credentials_approving ON credentials (environment, owner) WHERE role = 'approver' AND revoked_at IS NULL;
