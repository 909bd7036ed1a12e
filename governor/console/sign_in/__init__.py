"""The ways in and out: sign-in here and elsewhere, the form that survives it, one's own account."""
