"""The command line: thin; each command translates words into one use case, or starts a program."""
