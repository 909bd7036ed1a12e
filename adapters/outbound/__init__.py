"""Messages out: carried by HTTP to webhooks and Slack, and by SMTP to people."""
