-- What a look could not read stays as an earlier one read it: each part says when that was. NULL is not known.
ALTER TABLE payment_backgrounds ADD COLUMN fraud_read_at timestamptz, ADD COLUMN customer_read_at timestamptz;
UPDATE payment_backgrounds SET
    fraud_read_at = CASE WHEN fraud_warning IS NOT NULL THEN read_at END,
    customer_read_at = CASE WHEN customer IS NOT NULL THEN read_at END;
ALTER TABLE payment_backgrounds
    ADD CHECK ((fraud_read_at IS NULL) = (fraud_warning IS NULL)),
    ADD CHECK ((customer_read_at IS NULL) = (customer IS NULL));
