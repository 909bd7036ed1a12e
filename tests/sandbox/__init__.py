"""The provider twin, driven over HTTP as its users drive it."""
