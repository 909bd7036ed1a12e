-- How the provider does of late: its last replies and its last webhook are found from the end.
CREATE INDEX evidence_replies ON evidence (environment, recorded_at) WHERE source = 'reply';
CREATE INDEX provider_events_webhooks ON provider_events (environment, received_at) WHERE via = 'webhook';
