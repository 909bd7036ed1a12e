"""The documentation is held to the code: what is drawn, what is named, what is linked."""
