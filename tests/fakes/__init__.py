"""Stand-ins for the world, each held to the same contract tests as the real thing."""
