"""Which release of governor this code is."""

VERSION = "0.1.0"
"""As pyproject.toml has it."""
