"""The adapters by themselves, on real servers."""
