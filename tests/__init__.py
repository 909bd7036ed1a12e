"""The proofs: real servers, fakes that pass the same contracts, and names that are sentences."""
