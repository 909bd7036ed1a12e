"""Servers that die, hang, forget, fill up or come back as somebody else, under the real processes."""
