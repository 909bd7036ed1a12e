"""Plain values and rules: no framework, no database, no provider, no clock of its own, no I/O."""
