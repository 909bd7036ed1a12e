"""The web server as deployed: slow and silent clients, and clients that do not hang up."""
