"""The provider twin: a Stripe-shaped, stateful HTTP server for development, demos and tests.

It is a program of its own and imports nothing of governor. Reading order of one call:
``program`` starts it, ``server`` owns the sockets and ``wire`` the bytes; ``stripe_side`` tells the story
of a ``/v1`` call (``faults``, ``parameters``, ``idempotency``, ``routes``), ``control_side`` that of a
``/_sandbox`` call; ``payments``, ``refunds``, ``disputes`` and ``late_outcomes`` hold Stripe's rules over
the ``world``; ``events`` and ``deliveries`` tell others about it.
"""
