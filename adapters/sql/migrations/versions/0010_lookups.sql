-- People look for a request by the refund's name at the provider, and for a payment by its charge's.
CREATE INDEX refund_requests_reference ON refund_requests (environment, provider_reference)
    WHERE provider_reference IS NOT NULL;
CREATE INDEX payments_charge ON payments (environment, charge) WHERE charge IS NOT NULL;
