"""One file per verb: the story of one thing a person or a program can do."""
