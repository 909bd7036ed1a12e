-- What stood around a payment at the provider when somebody last decided about it: shown, and deciding nothing. NULL is not known.
CREATE TABLE payment_backgrounds (
    environment text NOT NULL REFERENCES environments,
    payment text NOT NULL,
    read_at timestamptz NOT NULL,
    fraud_warning boolean,
    customer jsonb CHECK (jsonb_typeof(customer) = 'object'),
    PRIMARY KEY (environment, payment)
);
