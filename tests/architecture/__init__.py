"""The rules of the house as tests: sizes, names, imports, and what may never be committed."""
