"""The storm: its plan, its processes, its verdict, and a short one played."""
