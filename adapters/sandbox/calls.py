"""The log of HTTP calls, and how often each idempotency key was seen."""

from collections import deque

from adapters.sandbox.shelf import Document
from adapters.sandbox.wire import Request
from adapters.sandbox.world import Account

KEPT = 100_000
"""The log forgets its oldest calls beyond this many, so that a twin can run for weeks."""


class CallLog:
    """Each ``/v1`` call in the order of its arrival. Guarded by the world's lock."""

    def __init__(self) -> None:
        self._calls: deque[Document] = deque(maxlen=KEPT)

    def begin(self, request: Request, request_id: str, at: int) -> Document:
        """Notes that a call was read; its status is filled in when it is known."""
        call: Document = {
            "method": request.method,
            "path": request.path,
            "key": request.idempotency_key,
            "request_id": request_id,
            "at": at,
            "status": None,
            "fault": None,
            "replayed": False,
        }
        self._calls.append(call)
        return call

    def shown(self) -> list[Document]:
        """All calls, oldest first; status is a number, ``dropped``, or null while the call runs."""
        return [dict(call) for call in self._calls]

    def forget(self) -> None:
        """Empties the log."""
        self._calls.clear()


def count_key(account: Account, key: str, *, calls: int = 0, replays: int = 0) -> None:
    """Counts a call that carried the key, or a replay of its saved answer."""
    use = account.key_uses.get(key) or {"http_calls": 0, "replays": 0}
    counted = {"http_calls": use["http_calls"] + calls, "replays": use["replays"] + replays}
    account.key_uses.put(key, counted)


def writes(account: Account, payment: str | None) -> list[Document]:
    """Every refund really executed, oldest first: the arbiter of "one intent, one refund"."""
    rows = []
    for refund_id in account.writes:
        write, refund = account.writes[refund_id], account.refunds[refund_id]
        if payment in {None, write["payment"]}:
            use = account.key_uses.get(write["idempotency_key"] or "") or {"http_calls": 0, "replays": 0}
            shown = {
                name: refund[name] for name in ("id", "charge", "amount", "currency", "status", "created")
            }
            rows.append({**shown, **write, **use, "account": account.id})
    return rows
