"""The store and the provider in memory, for the simulator: they keep the promises of the ports and nothing for good."""
