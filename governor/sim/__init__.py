"""`governor sim`: the real use cases over ports in memory, one thread, one seed, every order of events."""
