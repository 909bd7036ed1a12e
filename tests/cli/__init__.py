"""The command line, the books and the demo, on real servers."""
