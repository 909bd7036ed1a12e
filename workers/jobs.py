"""The jobs: doorbells. Each carries one id and drains what is due in that request's environment."""

from __future__ import annotations

from workers.drain import drain
from workers.process import application


def dispatch(request_id: str) -> int:
    """Send everything due in the environment of this request; returns how many were sent."""
    return drain(application(), request_id)
