-- What auditors ask: decisions by time, and the trail by action.

-- What was decided in a month, however many years there are. Votes are appended as time goes; an index of ranges costs
-- next to nothing, and no plan can take it for one that finds the votes of a hold.
CREATE INDEX votes_decided ON votes USING brin (decided_at) WITH (pages_per_range = 8, autosummarize = on);
-- What few rows among many say: who has changed a limit, who has resolved a request by hand.
CREATE INDEX audit_action ON audit (environment, action, seq);
