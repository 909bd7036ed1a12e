"""The supervisor, with real child programs and real servers."""
