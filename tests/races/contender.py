"""A process of its own that wants something at the very moment when others want it too.

Read a line of JSON from standard input, say `ready`, wait for one byte of the pipe that all contenders share
(the barrier: one write of the starter wakes them all), do it, write a line of JSON. Until the input ends.
Settings (as environment variables) come as an order too, so that one process serves many databases.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from typing import Any

from governor.bootstrap import Application, build
from governor.domain.approval import Ballot, Choice
from governor.domain.audit import Entry
from governor.domain.errors import GovernorError
from governor.domain.requests import RefundRequest
from governor.settings import Settings
from tests.builders import ask, close

Order = dict[str, Any]


def _request(app: Application, order: Order) -> Order:
    caller = app.authenticate(order["caller"])
    answer = app.request_refund(caller, ask(order["payment"], order["amount"]), order["key"], None)
    return _told(answer.request, replayed=answer.replayed)


def _decide(app: Application, order: Order) -> Order:
    caller, choice = app.authenticate(order["caller"]), Choice(order["choice"])
    ballot = Ballot(choice, order["digest"], order["version"], "looked at it")
    after = app.decide_hold(caller, order["hold"], ballot, order["key"])
    return _told(after, replayed=False)


def _cancel(app: Application, order: Order) -> Order:
    answer = app.cancel_refund(app.authenticate(order["caller"]), order["request"], order["key"])
    return _told(answer.request, replayed=answer.replayed)


def _take_back(app: Application, order: Order) -> Order:
    caller = app.authenticate(order["caller"])
    return _told(app.decide_hold.take_back(caller, order["hold"], order["key"]), replayed=False)


def _work(app: Application, order: Order) -> Order:
    """A worker takes what is due, and sends it."""
    claims = app.dispatch_refund.claim(order["environment"], 1)
    return {"sent": [app.dispatch_refund.send(claim).id for claim in claims]}


def _append(app: Application, order: Order) -> Order:
    """So many transactions, each with so many rows of the audit trail."""
    for _ in range(order["transactions"]):
        with app.store.environment(order["environment"]) as tx:
            tx.append_audit(
                [Entry("governor", "tried", order["name"], {"n": n}) for n in range(order["rows"])]
            )
    return {"appended": order["transactions"] * order["rows"]}


DEEDS: dict[str, Callable[[Application, Order], Order]] = {
    "request": _request,
    "decide": _decide,
    "cancel": _cancel,
    "take_back": _take_back,
    "work": _work,
    "append": _append,
}


def _told(request: RefundRequest, *, replayed: bool) -> Order:
    return {
        "id": request.id,
        "state": request.state.value,
        "hold": request.hold,
        "denial": request.denial.value if request.denial else None,
        "limits": list(request.limits),
        "replayed": replayed,
    }


def carry_out(app: Application, order: Order) -> Order:
    """Do one thing; what came of it as plain values. A refusal is a result like any other."""
    try:
        return DEEDS[order["do"]](app, order)
    except GovernorError as refusal:
        return {"error": refusal.code}


def main() -> None:
    """Until the input ends."""
    barrier = int(sys.argv[1])
    app: Application | None = None
    for order in map(json.loads, sys.stdin):
        if order["do"] == "enter":
            app = _entered(app, order["settings"])
            print("ready", flush=True)  # noqa: T201 - standard output is how it talks to its starter
            continue
        print("ready", flush=True)  # noqa: T201 - the same
        os.read(barrier, 1)
        assert app is not None, "enter comes first"
        print(json.dumps(carry_out(app, order)), flush=True)  # noqa: T201 - the same
    _entered(app, None)


def _entered(before: Application | None, variables: dict[str, str] | None) -> Application | None:
    """Leave the world before and enter another one (None: no other)."""
    if before is not None:
        close(before)
    if variables is None:
        return None
    for name in [name for name in os.environ if name.startswith("GOVERNOR_")]:
        del os.environ[name]
    os.environ.update(variables)
    return build(Settings())


if __name__ == "__main__":
    main()
