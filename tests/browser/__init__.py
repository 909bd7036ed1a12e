"""The console in a real Chromium, on the real processes: what people see, press and read."""
