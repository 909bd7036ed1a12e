"""Figures for Prometheus, on a listener of their own: counted from the books, with no id and no secret in them."""
