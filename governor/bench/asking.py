"""The one thing most benches repeat: a new refund request that must be admitted."""

from __future__ import annotations

from typing import Any

from governor.bench.measure import SLOT, Call
from governor.bench.world import agent, application
from governor.domain.admission import Ask
from governor.domain.errors import InvariantBroken
from governor.domain.lifecycle import State

_STEPS = 131
"""How often one thread comes round to the same payment, at most; each time with an amount nobody else asks for."""


def ask(payments: tuple[str, ...], number: int) -> Ask:
    """The request of that number: another payment than its neighbours', and no pair of payment and amount twice."""
    slot, step = divmod(number, SLOT)
    again, _ = divmod(step, len(payments))
    payment = payments[(slot * 7919 + step) % len(payments)]
    return Ask(payment, slot * _STEPS + again + 1, "usd", None, None, None, None)


def key(number: int) -> str:
    """An operation key of its own."""
    return f"bench-{number:012d}"


def governed(context: dict[str, Any]) -> Call:
    """One whole admission through the library; anything but an admission is a failure."""
    app = application(context["database_url"])
    caller, payments = agent(app, context), context["payments"]

    def call(number: int) -> None:
        answer = app.request_refund(caller, ask(payments, number), key(number), None)
        if answer.request.state is not State.QUEUED or answer.replayed:
            raise InvariantBroken("not_admitted", f"{answer.request.state} {answer.request.denial}")

    return call
