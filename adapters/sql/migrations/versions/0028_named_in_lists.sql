-- Lists are found, and not walked to: what one actor has done, each kind of thing in its order; and requests in the
-- states that few end in. What goes the usual way, from queued to succeeded, is never in the second one.
CREATE INDEX audit_actor ON audit (environment, actor, action, seq);
CREATE INDEX refund_requests_ended_otherwise ON refund_requests (environment, state, id)
    WHERE state IN ('denied', 'failed', 'reversed', 'rejected', 'expired', 'canceled');
