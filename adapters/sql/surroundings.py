"""What an admission or a dispatch looks at, each in one statement whose rows say of which kind they are."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, TextClause

from adapters.sql import rows
from adapters.sql.approvals import vote_from
from adapters.sql.freezes import freeze_from
from adapters.sql.read_statements import GATE, SURROUNDINGS
from governor.domain.admission import Sibling
from governor.domain.credentials import Credential
from governor.domain.lifecycle import OPEN_STATES, State
from governor.ports.records import AtTheGate, Surroundings

_OPEN = sorted(OPEN_STATES)


def read_surroundings(
    connection: Connection,
    *,
    env: str,
    keys: list[str],
    credentials: list[str],
    payments: list[str],
    since: datetime,
    now: datetime,
) -> Surroundings:
    """What is known in `env` at `now` of these operation keys, credentials and payments."""
    asked = {"env": env, "keys": keys, "credentials": credentials, "payments": payments}
    found = _by_kind(connection, SURROUNDINGS, {**asked, "open": _OPEN, "since": since, "now": now})
    external = {payment: int(taken) for payment, taken in found["external"]}
    siblings: dict[str, tuple[Sibling, ...]] = dict.fromkeys(payments, ())
    for payment, request, state, *amounts in sorted(found["sibling"], key=lambda row: str(row[1])):
        siblings[payment] = (*siblings[payment], Sibling(request, State(state), frozenset(amounts)))
    return Surroundings(
        known={row["operation_key"]: rows.request_from(row) for row in found["known"]},
        chains=chains_from(found["credential"]),
        payments={row["payment"]: rows.facts_from(row, external[row["payment"]]) for row in found["payment"]},
        siblings=siblings,
        external=external,
        freezes=tuple(map(freeze_from, found["freeze"])),
        any_expired=found["expired"] == [True],
    )


def read_gate(
    connection: Connection, offset: timedelta, *, env: str, request_id: str, credential_id: str
) -> AtTheGate:
    """A request, its environment and its credential's chain at one moment of the database, moved by `offset`."""
    found = _by_kind(connection, GATE, {"env": env, "id": request_id, "credentials": [credential_id]})
    return AtTheGate(
        request=next(map(rows.request_from, found["request"]), None),
        environment=next(map(rows.environment_from, found["environment"]), None),
        chain=chains_from(found["credential"]).get(credential_id, ()),
        freezes=tuple(map(freeze_from, found["freeze"])),
        votes=tuple(map(vote_from, found["vote"])),
        same_history=found["same_history"] == [True],
        now=rows.instant(found["now"][0]) + offset,
    )


def _by_kind(
    connection: Connection, statement: TextClause, parameters: dict[str, Any]
) -> defaultdict[str, list[Any]]:
    found: defaultdict[str, list[Any]] = defaultdict(list)
    for kind, row in connection.execute(statement, parameters):
        found[kind].append(row)
    return found


def chains_from(found: Sequence[rows.Row]) -> dict[str, tuple[Credential, ...]]:
    """Per credential: itself and its ancestors, itself first."""
    chains: dict[str, tuple[Credential, ...]] = {}
    for row in sorted(found, key=lambda row: int(row["depth"])):
        chains[row["start"]] = (*chains.get(row["start"], ()), rows.credential_from(row))
    return chains
