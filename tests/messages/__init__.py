"""Messages out: what is told, to whom, and how it gets there whatever the other side does."""
