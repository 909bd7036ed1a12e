"""One call of one of the web processes, by a client that may lose patience. Nothing is kept: any of them may die."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from http.client import HTTPConnection, HTTPException
from random import Random
from typing import Any

from governor.chaos.told import Told
from governor.cli.wire import Answered

PATIENCE_SECONDS = 20.0


@dataclass(frozen=True)
class Api:
    """The web processes, called with one key."""

    ports: Sequence[int]
    secret: str
    chance: Random
    told: Told

    def ask(
        self,
        method: str,
        path: str,
        sent: object = None,
        *,
        key: str | None = None,
        revision: int | None = None,
        wait_seconds: int = 0,
        patience_seconds: float = PATIENCE_SECONDS,
    ) -> Answered | None:
        """The answer of any of them; None where none came in time. A 500 is noted: no storm excuses it."""
        headers = {"Authorization": f"Bearer {self.secret}", "Content-Type": "application/json"}
        headers |= {"Idempotency-Key": key} if key else {}
        headers |= {"If-Match": f'"{revision}"'} if revision is not None else {}
        headers |= {"Prefer": f"wait={wait_seconds}"} if wait_seconds else {}
        connection = HTTPConnection("127.0.0.1", self.chance.choice(self.ports), timeout=patience_seconds)
        try:
            connection.request(method, path, None if sent is None else json.dumps(sent), headers)
            response = connection.getresponse()
            answered = Answered(response.status, dict(response.headers), json.loads(response.read()))
        except (OSError, HTTPException, ValueError):
            self.told.answered("none")
            return None
        finally:
            connection.close()
        self._note(f"{method} {path}", answered)
        return answered

    def _note(self, call: str, answered: Answered) -> None:
        code = code_of(answered)
        self.told.answered(f"{answered.status} {code}".strip())
        if answered.status == 500:
            self.told.broken.append(f"{call}: {answered.body}")


def code_of(answered: Answered) -> str:
    """The code of a problem; empty for any other answer."""
    body: Any = answered.body
    return str(body.get("code", "")) if answered.status >= 400 and isinstance(body, dict) else ""
