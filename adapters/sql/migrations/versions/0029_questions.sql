-- What an approver sent back with a question is found by whom it waits for: every page counts a requester's own, who may
-- have asked for very much, and of whom very much may wait for approvers.
CREATE INDEX refund_requests_to_be_answered ON refund_requests (requested_by, environment, id)
    WHERE next_action = 'answer_question';
