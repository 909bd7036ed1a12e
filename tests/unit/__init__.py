"""Rules and small parts by themselves."""
