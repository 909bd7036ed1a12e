"""Stripe as the payment provider; the only place that knows the stripe package."""
