"""What governor asks of the world, answered: each package here knows one outside thing and no other package here."""
