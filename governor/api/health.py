"""Whether this process lives, and whether it could work. Neither tells a stranger anything else."""

from __future__ import annotations

from flask import Response

from governor.api.application import UseCases
from governor.api.responses import answer


def livez() -> Response:
    """The process answers."""
    return answer({"status": "ok"})


def readyz(use: UseCases) -> Response:
    """Database, migrations, queue and outbox are as they should be; which one is not, the log of `doctor` says."""
    ready = all(use.ready().values())
    return answer({"status": "ok" if ready else "unavailable"}, 200 if ready else 503)
