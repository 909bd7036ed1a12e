"""Faults on order: every way in which Stripe, or the network before it, can fail a call."""

import threading
from dataclasses import dataclass, field
from itertools import count

from adapters.sandbox.shelf import Document

REFUSE_CONNECTION = "refuse_connection"
_DELAYS = ("delay_before", "delay_after")
_BEFORE = (
    "reset_before",
    "drop_before",
    "error_500_before",
    "error_502_html",
    "error_503",
    "rate_limit_429",
    "lock_timeout_429",
    "key_in_use_409",
    "unauthorized_401",
    "forbidden_403",
    "redirect_302",
)
_EXECUTED = (
    "drop_after",
    "error_500_after",
    "truncate_body",
    "not_json",
    "json_not_object",
    "other_amount",
    "overrun",
    "other_currency",
    "missing_id",
    "unknown_status",
    "null_status",
)
KINDS = (REFUSE_CONNECTION, *_DELAYS, *_BEFORE, *_EXECUTED)
"""Every fault that can be ordered; those before ``drop_after`` never execute the call, delays always do."""


class BadOrder(Exception):
    """A fault that cannot be ordered like this."""


@dataclass
class Fault:
    """One order. ``times`` 0 means for ever."""

    id: str
    kind: str
    times: int
    delay_seconds: float
    method: str | None
    path: str | None
    payment: str | None
    fired: int = 0

    def matches(self, method: str, path: str, payment: str | None) -> bool:
        """True when the call is meant. A path is exact; with ``/`` at its end it means all below it."""
        if self.times and self.fired >= self.times:
            return False
        if self.path is not None and path != self.path:
            below = self.path.endswith("/") and path.startswith(self.path)
            if not below:
                return False
        return self.method in {None, method} and self.payment in {None, payment}

    def shown(self) -> Document:
        """The order as the control side shows it."""
        match = {"method": self.method, "path": self.path, "payment": self.payment}
        return {
            "id": self.id,
            "kind": self.kind,
            "times": self.times,
            "fired": self.fired,
            "delay_ms": round(self.delay_seconds * 1000),
            "match": {name: value for name, value in match.items() if value is not None},
        }


@dataclass(frozen=True)
class Orders:
    """What one call has to go through: every matching delay, and the first other matching fault."""

    taken_back: threading.Event
    """Set when all orders are taken back: then nobody waits any more."""
    kind: str | None = None
    seconds_before: float = 0.0
    seconds_after: float = 0.0

    @property
    def stops_before_execution(self) -> bool:
        """True when the call must not be executed."""
        return self.kind in _BEFORE


@dataclass
class FaultBook:
    """The orders, in the order in which they were given."""

    _faults: list[Fault] = field(default_factory=list)
    _numbers: "count[int]" = field(default_factory=lambda: count(1))
    _taken_back: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def order(self, sent: Document) -> Fault:
        """Adds the fault that ``{"kind", "times", "match", "delay_ms"}`` describes.

        Raises:
            BadOrder: for an unknown kind or field, or a value that means nothing.
        """
        _check(sent)
        match = sent.get("match", {})
        with self._lock:
            fault = Fault(
                id=f"fault_{next(self._numbers)}",
                kind=sent["kind"],
                times=1 if "times" not in sent else sent["times"] or 0,
                delay_seconds=sent.get("delay_ms", 0) / 1000,
                method=match.get("method"),
                path=match.get("path"),
                payment=match.get("payment"),
            )
            self._faults.append(fault)
        return fault

    def take(self, method: str, path: str, payment: str | None) -> Orders:
        """What this call has to go through; counts it as fired."""
        kind: str | None = None
        before = after = 0.0
        with self._lock:
            for fault in self._faults:
                is_delay = fault.kind in _DELAYS
                if (kind is not None and not is_delay) or not fault.matches(method, path, payment):
                    continue
                fault.fired += 1
                kind = kind if is_delay else fault.kind
                if fault.kind.endswith("_after"):
                    after += fault.delay_seconds
                else:
                    before += fault.delay_seconds
            return Orders(self._taken_back, kind, before, after)

    def shown(self) -> list[Document]:
        """Every order and how often it fired."""
        with self._lock:
            return [fault.shown() for fault in self._faults]

    def forget(self) -> None:
        """Takes back all orders; calls that a delay keeps waiting go on at once."""
        with self._lock:
            self._faults.clear()
            self._taken_back.set()
            self._taken_back = threading.Event()


def _check(sent: Document) -> None:
    match = sent.get("match", {})
    if sent.get("kind") not in KINDS:
        raise BadOrder(f"kind must be one of {', '.join(KINDS)}")
    if not set(sent) <= {"kind", "times", "match", "delay_ms"}:
        raise BadOrder("a fault has kind, times, match and delay_ms")
    if not isinstance(match, dict) or not set(match) <= {"method", "path", "payment"}:
        raise BadOrder("match has method, path and payment")
    for name in ("times", "delay_ms"):
        value = sent.get(name) or 0
        if not isinstance(value, int) or value < 0:
            raise BadOrder(f"{name} must be a whole number, 0 or more")
    if sent["kind"] in _DELAYS and not sent.get("delay_ms"):
        raise BadOrder("a delay needs delay_ms")
    if sent["kind"] == REFUSE_CONNECTION and (match or sent.get("times", 1) != 1):
        # Nobody sees a refused connection arrive, so it can be neither matched nor counted.
        raise BadOrder("refuse_connection takes delay_ms only: how long the port stays closed")
