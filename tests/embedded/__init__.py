"""The embedded servers: where their binaries come from, and that what they acknowledged survives a crash."""
