"""What the core asks of the world: Protocols with their promises. The adapters keep them."""
