"""A bounded local storm: real processes under load, everything fails at random, then the books are compared."""
