"""The surface `/api/v1`, on real servers."""
