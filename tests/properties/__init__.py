"""What must hold for every input, order and interleaving: generated, enumerated, searched."""
