"""Host names looked up with a deadline, which the system's own look-up cannot be given."""

from __future__ import annotations

import queue
import socket
import threading
from typing import Any


def look_up(host: str, port: int, seconds: float) -> list[tuple[str, int]]:
    """The addresses of a host, in the system's order.

    Raises:
        OSError: the name is not known, or not answered within `seconds`.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except socket.gaierror:
        answers: queue.SimpleQueue[list[Any] | OSError] = queue.SimpleQueue()
        threading.Thread(target=_ask, args=(host, port, answers), daemon=True, name="look-up").start()
        try:
            answer = answers.get(timeout=seconds)
        except queue.Empty:
            raise socket.gaierror(socket.EAI_AGAIN, "the name was not answered in time") from None
        if isinstance(answer, OSError):
            raise answer from None
        found = answer
    return [(str(address[0]), int(address[1])) for *_, address in found]


def _ask(host: str, port: int, answers: queue.SimpleQueue[list[Any] | OSError]) -> None:
    try:
        answers.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
    except OSError as error:
        answers.put(error)
    except UnicodeError:  # a label too long for the DNS
        answers.put(socket.gaierror(socket.EAI_NONAME, "the name cannot be looked up"))
