"""One set of promises for each port, kept by the real adapter and by the fake that tests use instead."""
