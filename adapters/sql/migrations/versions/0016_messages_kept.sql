-- Rows of the audit trail that could not be read, or made messages of: no endpoint was told of them.
CREATE TABLE passed_over (
    environment text NOT NULL,
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    error text NOT NULL,
    PRIMARY KEY (environment, seq),
    FOREIGN KEY (environment, seq) REFERENCES audit (environment, seq)
);

-- Messages never change; when they are old they go, with their deliveries.
DROP TRIGGER messages_append_only ON messages;
CREATE TRIGGER messages_unchanging BEFORE UPDATE OR TRUNCATE ON messages
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
CREATE INDEX deliveries_message ON deliveries (environment, message);
