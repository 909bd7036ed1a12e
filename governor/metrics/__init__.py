"""Figures for Prometheus, on a listener of their own: counted from the books, with no id and no secret in them."""

LISTEN = "127.0.0.1:9464"
"""Where they are shown when nobody says otherwise: on this machine alone."""
