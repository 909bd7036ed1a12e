"""The programs governor consists of, as the commands that start them: one place for the supervisor and the CLI."""

import sys
from pathlib import Path

LOOPBACK = "127.0.0.1"


def web(address: str) -> tuple[str, ...]:
    """The command for gunicorn on ``address`` (host:port) with the settings of governor.web_server."""
    gunicorn = (sys.executable, "-m", "gunicorn", "--config", "python:governor.web_server")
    return (*gunicorn, "--bind", address, "governor.wsgi:application")


def background(role: str) -> tuple[str, ...]:
    """One of the processes behind the web: ``relay``, ``worker``, ``runner``, ``cron``, ``messenger`` or ``metrics``."""
    return (sys.executable, "-m", "workers.main", role)


def sandbox(port: int, state: Path) -> tuple[str, ...]:
    """The provider twin on the loopback interface, its state in the file ``state``."""
    return (sys.executable, "-m", "adapters.sandbox", "--port", str(port), "--state", str(state))


def prepare(url: str) -> tuple[str, ...]:
    """Migrates, makes the demo data when it is wanted, has the twin bring events to governor at ``url``; then ends."""
    return (sys.executable, "-m", "governor.cli.up.prepare", url)
