"""The JSON surface `/api/v1`: it reads, authenticates and translates; it decides nothing."""
