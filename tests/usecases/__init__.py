"""The verbs, told as stories on a real PostgreSQL and the provider twin."""
