"""Signing in at an OpenID Connect provider (governor.ports.identity)."""
