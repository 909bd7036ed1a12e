"""The beat of a process that serves or works: from a thread of its own, for as long as the process is at it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from types import TracebackType
from typing import Self
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

from governor.domain.processes import EVERY
from governor.usecases.say_alive import SayAlive

LAST_WORD_SECONDS = 2.0
"""For how long a process that stops waits for its thread: a database that is away must not keep it."""


class Heart:
    """Beats between `with` and its end. Made before a fork and entered after it, it is the child's own."""

    def __init__(self, alive: Callable[[], SayAlive]) -> None:
        self._made = alive
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def start(self) -> None:
        """From here on, in this process."""
        self._thread = threading.Thread(target=self._beat, name="heart", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Not any more; says so, if the database hears it."""
        self._stop.set()
        if self._thread is not None:
            self._thread.join(LAST_WORD_SECONDS)

    def _beat(self) -> None:
        alive = self._made()
        while True:
            alive()
            if self._stop.wait(EVERY.total_seconds()):
                alive.leave()
                return


class LivingApplication:
    """A WSGI application with the heart of whichever process serves it (governor.web_server)."""

    def __init__(self, behind: WSGIApplication, heart: Heart) -> None:
        self._behind = behind
        self.heart = heart

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Pass the request on."""
        return self._behind(environ, start_response)
