"""The processes behind the web: relay, worker, cron. Each has `run_once` (bounded) and `run`."""
