"""governor: the refund desk between the people and agents who ask for refunds, and Stripe."""
