"""The Stripe adapter, tested through the real SDK over real sockets."""
