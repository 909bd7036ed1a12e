"""The judgement: what clients were told and what the provider has executed, held against the books."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from sqlalchemy import Connection, text

from governor.chaos.told import Decision, Told

Row = Mapping[str, Any]

KEY_PREFIX: Final = "governor-"
"""What governor's keys at the provider begin with; the request's id follows."""
_OURS: Final = re.compile(f"{KEY_PREFIX}(rr_[0-9a-z]+)")
"""A key of ours, and whose it is, whatever else may have got into it."""
LIVE: Final = frozenset({"succeeded", "pending", "requires_action"})
"""Statuses of a refund at the provider that has taken money, or will."""

# Written by hand: what judges the table of states must not be made from it.
HOLDING: Final = frozenset({"pending_approval", "queued", "dispatching", "unknown", "provider_pending"})
WATCHED: Final = frozenset({"unknown", "provider_pending"})
PAID: Final = frozenset({"succeeded", "provider_pending", "reversed"})

_REQUESTS = text("""
    SELECT id, operation_key, state, payment, amount, currency, denial, moved, due_at, cancel_requested_at
    FROM refund_requests""")
_VOTES = text("SELECT hold, person, choice FROM votes")
_LIMITS = text("SELECT id, revision FROM limits")
_EXTERNAL = text("SELECT id FROM external_refunds")
_OVER = text("""
    SELECT r.id, line ->> 'limit' AS name FROM refund_requests r
    CROSS JOIN LATERAL jsonb_array_elements(r.limits) line
    WHERE r.state <> 'denied' AND (line ->> 'settled')::bigint + (line ->> 'reserved')::bigint
        + (line ->> 'requested')::bigint > (line ->> 'cap')::bigint""")


@dataclass(frozen=True)
class Books:
    """What the database says after the storm."""

    requests: Mapping[str, Row]
    votes: Mapping[tuple[str, str], str]
    limits: Mapping[str, int]
    external: frozenset[str]
    over: Sequence[str] = ()
    """Admissions whose own arithmetic does not fit under the cap."""


@dataclass
class Judgement:
    """Each list says what was found, in words."""

    lost: list[str] = field(default_factory=list)
    double: list[str] = field(default_factory=list)
    unexplained: list[str] = field(default_factory=list)
    unresolved: list[str] = field(default_factory=list)
    over: list[str] = field(default_factory=list)


def read_books(connection: Connection) -> Books:
    """The books in one look."""
    over = [f"{row.id} on {row.name}" for row in connection.execute(_OVER)]
    return Books(
        requests={row["id"]: dict(row) for row in connection.execute(_REQUESTS).mappings()},
        votes={(row.hold, row.person): row.choice for row in connection.execute(_VOTES)},
        limits={row.id: row.revision for row in connection.execute(_LIMITS)},
        external=frozenset(connection.scalars(_EXTERNAL)),
        over=over,
    )


def judge(books: Books, writes: Sequence[Row], told: Told) -> Judgement:
    """`writes` are the refunds that the provider has really executed."""
    judgement = Judgement(over=list(books.over))
    judgement.lost += _lost(books, told)
    refunds = Counter(found[1] for write in writes if (found := _OURS.match(str(write["idempotency_key"]))))
    judgement.double += [f"{one} has {count} refunds" for one, count in refunds.items() if count > 1]
    judgement.unexplained += [words for write in writes if (words := _unexplained(books, write))]
    made = {str(write["idempotency_key"]).removeprefix(KEY_PREFIX): write for write in writes}
    judgement.unexplained += [
        f"{one} is {row['state']}, and the provider has no refund of it"
        for one, row in books.requests.items()
        if row["state"] in PAID and one not in made
    ]
    judgement.unresolved += _unresolved(books, made)
    return judgement


def _unresolved(books: Books, made: Mapping[str, Row]) -> list[str]:
    """Open requests that nobody watches, and those in doubt although the provider would tell."""
    in_doubt = {row["payment"] for row in books.requests.values() if row["state"] == "unknown"}
    found = []
    for one, row in books.requests.items():
        state = row["state"]
        watched = state in WATCHED and row["due_at"] is not None
        # Nothing else is sent for a payment while it is not known what happened to the one before.
        behind = state == "queued" and row["payment"] in in_doubt
        if state in HOLDING and not watched and not behind:
            found.append(f"{one} is {state}")
        if state == "unknown" and one in made and _as_asked(row, made[one]):
            found.append(f"{one} is unknown, and the provider has its refund")
    return found


def _as_asked(row: Row, write: Row) -> bool:
    """Whether money left just as it was asked for. What left otherwise is held until people have looked."""
    return write["status"] in LIVE and write["amount"] == row["amount"]


def _lost(books: Books, told: Told) -> list[str]:
    """Everything that was acknowledged and is not so in the books."""
    found = [words for decision in told.decisions if (words := _differs(books, decision))]
    found += [
        f"{vote.person} was told that {vote.choice} counts for {vote.hold}"
        for vote in told.votes
        if books.votes.get((vote.hold, vote.person)) != vote.choice
    ]
    found += [
        f"revision {revision} of {limit} was acknowledged"
        for limit, revision in told.limits
        if books.limits.get(limit, 0) < revision
    ]
    found += [
        f"the cancellation of {one} was acknowledged"
        for one in told.cancellations
        if books.requests.get(one, {}).get("cancel_requested_at") is None
    ]
    return found


def _differs(books: Books, decision: Decision) -> str | None:
    row = books.requests.get(decision.id)
    if row is None:
        return f"{decision.key} was decided as {decision.id}, and there is no such request"
    told = (decision.key, decision.payment, decision.amount, decision.currency, decision.denial)
    kept = (row["operation_key"], row["payment"], row["amount"], row["currency"], row["denial"])
    return None if told == kept else f"{decision.id} was told as {told}, and is kept as {kept}"


ELSEWHERE = "dashboard"
"""The twin's word for who made a refund that we did not."""


def _unexplained(books: Books, write: Row) -> str | None:
    """Why nobody can say what a refund at the provider is for; None when somebody can."""
    key = str(write["idempotency_key"] or "")
    if not key.startswith(KEY_PREFIX):
        if write["source"] != ELSEWHERE:
            return f"{write['id']} was made by us under {key or 'no key'}"
        return (
            None if write["id"] in books.external else f"{write['id']} was made elsewhere, and nobody saw it"
        )
    row = books.requests.get(key.removeprefix(KEY_PREFIX))
    if row is None:
        return f"{write['id']} is for {key}, which nobody asked for"
    shown = f"{write['id']} of {write['amount']} is {write['status']}"
    if row["payment"] != write["payment"]:
        return f"{shown} on {write['payment']}, and {row['id']} is for {row['payment']}"
    state = row["state"]
    if state in HOLDING:
        return None
    if write["status"] in LIVE:
        right = state == "succeeded" and (write["status"] != "succeeded" or row["moved"] == write["amount"])
    else:
        right = state in {"failed", "reversed"}
    return None if right else f"{shown}, and {row['id']} is {state} with {row['moved']} moved"
