"""The simulator: that it repeats itself, that it holds, and that it finds what is broken on purpose."""
