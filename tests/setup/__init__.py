"""Setting up from nothing: the script behind both commands of the README."""
