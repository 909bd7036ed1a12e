"""Every named checkpoint: the process is killed, broken or stopped there, and what must be true afterwards is."""
