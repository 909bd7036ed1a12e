"""Each bench with tiny sizes: what it says, that its books are clean, that nothing failed. Never how fast it was."""
