-- With what a payment was made, as people recognise it: a word for the kind, and of a card its brand and last four digits.
-- And whether it was made for a connected account. NULL in both: the payment was read before anybody looked for it.
ALTER TABLE payments
    ADD COLUMN method jsonb CHECK (
        coalesce(method, '{"type": "card"}') ->> 'type' ~ '^[a-z0-9_]+$' IS TRUE
        AND coalesce(method ->> 'last4', '0000') ~ '^[0-9]{4}$'),
    ADD COLUMN connected boolean;
