-- Agents make keys of their own, and none is ever removed: what somebody did is looked for under each that he answers for.
CREATE INDEX credentials_owner ON credentials (environment, owner);
