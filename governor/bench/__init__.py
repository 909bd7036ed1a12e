"""Benchmarks as commands: each runs its yardstick in the same run, interleaved, and reports the ratio."""
