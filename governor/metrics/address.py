"""Where the figures are shown; apart from what shows them, which is slow to load."""

LISTEN = "127.0.0.1:9464"
"""When nobody says otherwise: on this machine alone."""
