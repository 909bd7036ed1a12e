-- Lists of what one case, one customer or one requester is about are walked in their own order, newest first, and not
-- through all of the past. Those that were in the order of time alone served the newest only.
DROP INDEX refund_requests_requester;
DROP INDEX refund_requests_customer;
CREATE INDEX refund_requests_of_requester ON refund_requests (requested_by, environment, id);
CREATE INDEX refund_requests_of_customer ON refund_requests (customer, environment, id) WHERE customer IS NOT NULL;
CREATE INDEX refund_requests_of_case ON refund_requests ("case", environment, id) WHERE "case" IS NOT NULL;
