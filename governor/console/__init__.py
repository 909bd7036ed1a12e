"""The console: pages for people, drawn on the server, that work without scripts. It translates and decides nothing."""
