"""Real processes from end to end: web, relay, worker, cron, and what becomes of a refund when they die."""
