"""What operators steer by and with: the overview, limits, rules, the stop, the unknown desk, keys and people, the host."""
