"""The same headroom wanted at the same instant: by threads, by processes, by people."""
