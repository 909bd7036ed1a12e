"""The provider twin for tests: a process of its own on a free port, driven through its control side."""

import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self
from urllib.parse import urlencode, urlsplit

from tests.stack import PATIENCE_SECONDS, PROJECT, eventually

UNTIL_FORGOTTEN = 3_600_000
"""Milliseconds of a delay that ends when the faults are forgotten, and not because a test took its time."""


class Twin:
    """A running twin. ``with Twin() as twin: twin.url``; ``state`` keeps its world over restarts."""

    def __init__(self, state: Path | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="twin-")
        ready = Path(self._folder.name) / "url"
        command = [sys.executable, "-m", "adapters.sandbox", "--port", "0", "--ready-file", str(ready)]
        if state is not None:
            command += ["--state", str(state)]
        self._log = (Path(self._folder.name) / "log").open("w+b")
        self.process = subprocess.Popen(
            command, cwd=PROJECT, stdout=self._log, stderr=subprocess.STDOUT, start_new_session=True
        )
        self._lock = threading.Lock()
        self.url = self._wait_until_ready(ready)
        target = urlsplit(self.url)
        self.port = target.port or 0
        # One connection for all orders: it survives refuse_connection, which closes every other one.
        self._control = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_SECONDS)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def payment(self, amount: int = 5000, currency: str = "usd", **fields: Any) -> str:
        """Makes a captured payment; returns its payment intent id. ``fields``: card, customer, account, age_seconds."""
        created = self.order("POST", "/payments", {"amount": amount, "currency": currency, **fields})
        return str(created["id"])

    def dashboard_refund(self, payment: str, amount: int | None = None) -> dict[str, Any]:
        """Refunds past everybody's back, as a person in the Dashboard would."""
        return self.order("POST", "/refunds", {"payment": payment, "amount": amount})

    def fault(self, kind: str, *, times: int = 1, delay_ms: int = 0, **match: str) -> str:
        """Orders a fault; ``match`` is method, path, payment. Returns its id."""
        sent: dict[str, Any] = {"kind": kind, "times": times, "match": match}
        if delay_ms:
            sent["delay_ms"] = delay_ms
        return str(self.order("POST", "/faults", sent)["id"])

    def faults(self) -> list[dict[str, Any]]:
        """What is ordered and how often each fired."""
        return list(self.order("GET", "/faults")["faults"])

    def forget_faults(self) -> None:
        """Takes back all orders: calls that were delayed go on, and a port that refused connections opens."""
        self.order("DELETE", "/faults")

    def writes(self, payment: str | None = None) -> list[dict[str, Any]]:
        """Every refund really executed, oldest first."""
        query = f"?{urlencode({'payment': payment})}" if payment else ""
        return list(self.order("GET", f"/writes{query}")["writes"])

    def calls(self) -> list[dict[str, Any]]:
        """Every call of the API, oldest first."""
        return list(self.order("GET", "/calls")["calls"])

    def settled_calls(self) -> list[dict[str, Any]]:
        """Every call of the API, once none of them runs any more."""
        self.until(lambda: all(call["status"] is not None for call in self.calls()))
        return self.calls()

    def until(self, is_so: Callable[[], bool]) -> None:
        """Looks again until it is so; AssertionError when the twin takes too long."""
        eventually(is_so, self.output)

    def advance(self, seconds: int) -> int:
        """Moves the twin's clock; returns its present, in seconds since the epoch."""
        return int(self.order("POST", "/clock", {"advance_seconds": seconds})["now"])

    def dispute(self, payment: str, status: str) -> dict[str, Any]:
        """Opens or closes a dispute."""
        return self.order("POST", "/disputes", {"payment": payment, "status": status})

    def warn_of_fraud(self, payment: str) -> dict[str, Any]:
        """The bank says that a payment may be fraud."""
        return self.order("POST", "/fraud_warnings", {"payment": payment})

    def webhooks(self, mode: str | None = None) -> dict[str, Any]:
        """Changes how deliveries behave, or only looks: mode, waiting, attempts."""
        return self.order("POST", "/webhooks", {"mode": mode}) if mode else self.order("GET", "/webhooks")

    def reset(self) -> None:
        """Empties the twin's world."""
        self.order("POST", "/reset")

    def order(self, method: str, path: str, sent: dict[str, Any] | None = None) -> dict[str, Any]:
        """One call of the control side; AssertionError with its text when it refuses."""
        body = json.dumps(sent) if sent is not None else None
        with self._lock:
            self._control.request(method, f"/_sandbox{path}", body)
            response = self._control.getresponse()
            answer: dict[str, Any] = json.loads(response.read())
        assert response.status == 200, answer
        return answer

    def stop(self) -> None:
        """Ends the process as an operator would and returns when it is gone."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        self._reap()

    def kill(self) -> None:
        """Ends the process without any warning."""
        self.process.kill()
        self._reap()

    def output(self) -> str:
        """What it printed."""
        self._log.flush()
        return Path(self._log.name).read_text(encoding="utf-8")

    def _reap(self) -> None:
        try:
            self.process.wait(PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait()
            raise
        finally:
            if hasattr(self, "_control"):
                self._control.close()
            self._log.close()
            self._folder.cleanup()

    def _wait_until_ready(self, ready: Path) -> str:
        """Looks for the ready file, which the program writes when it accepts connections."""
        try:
            eventually(lambda: ready.exists() or self.process.poll() is not None, self.output)
            assert ready.exists(), f"the twin did not start: {self.output()}"
        except AssertionError:
            self.kill()
            raise
        return ready.read_text(encoding="utf-8")
