"""Threats that no single room of the code answers for (docs/security/threats.csv)."""
