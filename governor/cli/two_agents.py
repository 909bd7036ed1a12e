"""Two agents and one headroom (DESIGN §1): each sees room for its refund, both ask at once, one of them gets it."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Barrier
from typing import Any, Final

from adapters.ids import TypeIds
from governor.cli.caller import ApiCaller
from governor.cli.saying import REFUSED, Said
from governor.cli.twin import TwinControl
from governor.cli.up.data_folder import Demo
from governor.cli.wire import Answered

HEADROOM: Final = 2000
WANTED: Final = 1500
AGENTS: Final = ("agent", "agent_2")
WAIT_SECONDS: Final = 20
"""How long the winner is given to settle; a refund takes well under a second on an idle machine."""
_REQUESTS: Final = "/api/v1/refund-requests"
_LIMITS: Final = "/api/v1/limits"


@dataclass(frozen=True)
class Told:
    """How the story went. `winner` and `loser` are refund requests, `problem` is what the loser was answered."""

    limit: dict[str, Any]
    winner: dict[str, Any]
    winner_name: str
    loser_name: str
    problem: dict[str, Any]
    writes: list[dict[str, Any]]


def play(url: str, sandbox_url: str, demo: Demo, *, wait_seconds: int = WAIT_SECONDS) -> Said:
    """Play it against a running governor with the demo's keys, on a customer and a limit of this run's own.

    Raises:
        GovernorError: governor or the sandbox does not answer as it should.
    """
    run = TypeIds().new("run").removeprefix("run_")
    customer = f"cus_{run}"
    with TwinControl(sandbox_url) as twin, _limit_for(url, demo, customer, run) as limit:
        payments = {name: twin.payment(5 * HEADROOM, "usd", customer=customer) for name in AGENTS}
        answers = _ask_at_once(url, demo, payments, run)
        admitted = [name for name in AGENTS if answers[name].status in {200, 202}]
        if len(admitted) != 1:
            return _went_wrong(answers)
        (winner,) = admitted
        (loser,) = set(AGENTS) - {winner}
        settled = _end_of(url, demo.keys[winner], payments[winner], _key(winner, run), wait_seconds)
        writes = [write for payment in payments.values() for write in twin.writes(payment)]
        return _said(Told(limit, settled, winner, loser, answers[loser].body, writes))


@contextmanager
def _limit_for(url: str, demo: Demo, customer: str, run: str) -> Iterator[dict[str, Any]]:
    """A limit of 2000 usd a day for one customer, archived at the end: it is this run's own."""
    asked = {
        "scope": "customer",
        "value": customer,
        "measure": "amount",
        "currency": "usd",
        "window": "day",
        "cap": HEADROOM,
    }
    with ApiCaller(url, demo.keys["operator"]) as operator:
        limit: dict[str, Any] = operator.post(_LIMITS, asked, key=f"demo-limit-{run}")
        try:
            yield limit
        finally:
            operator.ask("DELETE", f"{_LIMITS}/{limit['id']}", revision=int(limit["revision"]))


def _ask_at_once(url: str, demo: Demo, payments: dict[str, str], run: str) -> dict[str, Answered]:
    """Both requests, each over its own connection, sent in the same instant."""
    start = Barrier(len(AGENTS))

    def ask(name: str) -> Answered:
        with ApiCaller(url, demo.keys[name]) as agent:
            agent.get("/api/v1/environment")
            start.wait()
            return agent.ask("POST", _REQUESTS, _wanted(payments[name]), key=_key(name, run))

    with ThreadPoolExecutor(len(AGENTS)) as agents:
        return dict(zip(AGENTS, agents.map(ask, AGENTS), strict=True))


def _end_of(url: str, key: str, payment: str, operation_key: str, wait_seconds: int) -> dict[str, Any]:
    """The winner's request when its task is over: asking again under the same key changes nothing but the wait."""
    with ApiCaller(url, key) as agent:
        found: dict[str, Any] = agent.post(
            _REQUESTS, _wanted(payment), key=operation_key, wait_seconds=wait_seconds
        )
    return found


def _wanted(payment: str) -> dict[str, Any]:
    return {"payment": payment, "amount": WANTED, "currency": "usd", "reason": "requested_by_customer"}


def _key(name: str, run: str) -> str:
    return f"demo-{name}-{run}"


def _went_wrong(answers: dict[str, Answered]) -> Said:
    value = {name: answered.body for name, answered in answers.items()}
    lines = [
        f"  {name}: {body.get('state') or body.get('code')}: {body.get('detail', '')}"
        for name, body in value.items()
    ]
    return Said(
        {"ok": False, "answers": value},
        "\n".join(["Not exactly one of the two was admitted:", *lines]),
        REFUSED,
    )


def _said(told: Told) -> Said:
    line = next(one for one in told.problem.get("limits", ()) if one["limit"] == told.limit["id"])
    moved = sum(int(write["amount"]) for write in told.writes)
    ok = told.winner["state"] == "succeeded" and len(told.writes) == 1 and moved == WANTED
    value = {
        "ok": ok,
        "headroom": HEADROOM,
        "wanted": WANTED,
        "limit": told.limit["id"],
        "winner": {"key": told.winner_name, "refund_request": told.winner},
        "refused": {"key": told.loser_name, "problem": told.problem},
        "writes": told.writes,
    }
    holders = ", ".join(f"{one['hold']} ({one['amount']})" for one in line.get("held_by", ()))
    text = f"""\
One customer may get {HEADROOM} usd cents back today. Two agents each want {WANTED} of them, at the same moment.

  {told.winner_name:<8} admitted  {told.winner["id"]}
           its hold {told.winner["hold"]} took {WANTED} before anything was sent
  {told.loser_name:<8} refused   {told.problem["code"]}, recorded as {told.problem["refund_request"]["id"]}
           cap {line["cap"]} - settled {line["settled"]} - reserved {line["reserved"]} = headroom {line["headroom"]}, asked for {line["requested"]}
           held by {holders}; next: {told.problem["next_action"]} {told.problem["next_action_at"] or ""}

The admitted one is {told.winner["state"]} as {told.winner["provider_reference"]}.
The sandbox has written {len(told.writes)} refund(s), {moved} usd cents in all:
""" + "\n".join(
        f"  {write['id']}  {write['amount']} {write['currency']}  on {write['payment']}"
        for write in told.writes
    )
    return Said(value, text, 0 if ok else REFUSED)
