"""`governor up`: everything on this machine, under one supervisor, in one data folder."""
