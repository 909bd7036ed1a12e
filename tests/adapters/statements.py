"""Every statement that is made once and kept: which tables it meets grow, and what its parameters are."""

from __future__ import annotations

from sqlalchemy import TextClause

from adapters.sql import (
    approval_desk,
    approvals,
    attention,
    background,
    desk,
    endpoints,
    external,
    figures,
    freezes,
    inbox_statements,
    late_limits,
    lookups,
    outgoing,
    past,
    people_statements,
    power,
    processes,
    queue,
    read_statements,
    rules,
    run_statements,
    stand_ins,
    telling,
    trail,
    votes,
    write_statements,
)

GROWING = set(
    """audit counters deliveries escalations evidence external_refunds hold_versions holds messages operations outbox
    payment_backgrounds payments provider_events refund_requests resolutions run_files sessions sign_ins stand_ins votes""".split()
)
"""All but what is kept for days only, runs and snoozes, or for an hour, processes and lookers."""

COLD = {
    "FORGET": "what is old goes: the oldest, so many at a time, in the order of the key it walks",
    "DELIVERIES": "a list in pages, in the order of the key it walks",
    "NEWEST_STAND_INS": "those that were named last, so many, in the order of the key it walks",
    "REQUESTS": "a list in pages, in the order of the key it walks",
    "REQUESTS_OF_STATES": "the same list of what has not succeeded: as much as is open, each through its own index",
    "IN_DOUBT": "the desk, longest in doubt first: as much as nobody knows",
    "IN_DOUBT_TOTALS": "what the whole desk adds up to",
    "EVENTS_UNREAD": "the doctor counts what cannot be read: as much as there is",
    "RECORD_OF": "the newest of one requester, as many as are asked for",
    "DECIDED_BY": "a page of what one person has decided, in the order of the key it walks",
    "OF_CUSTOMER": "the newest of one customer, as many as are asked for",
    "EXTERNALS": "a list in pages, in the order of the key it walks",
    "EXTERNAL_EXPOSED": "a new limit counts what was refunded elsewhere: as much as there is",
    "UNPROVEN": "what waits for a proof: as much as there is, through its own index",
    "PARKED": "an operator has made room: as much as waits for it",
    "EXPOSED": "a new limit counts whatever is open: as much as there is",
    "NOT_SENT": "a revocation cancels whatever its tree has waiting: as much as there is",
    "TOO_MUCH": "cron sums up the files that are kept",
    "PAST": "a simulation replays the newest requests: as many as it says",
    "HITS": "how rules do, by the newest requests: as many as it says",
    "PAST_ELSEWHERE": "and what was refunded elsewhere meanwhile: as much as there is",
    "ASKED": "the newest requests of a day: as many as it says",
    "DEPTH": "people look at how much waits: so much of it is counted",
    "WEBHOOK_AT": "the last one, in the order of the index it walks",
    "QUEUE": "people look at what waits: so much of it is counted",
    "BELLS": "and at how often workers are still to be rung",
    **dict.fromkeys(
        ("PAIRS", "DECIDED"), "an auditor reads what was decided in a period: as much as there is"
    ),
    "OVERDUE": "the sweep looks into every environment, at its first due row",
}
"""What no decision and no dispatch waits for."""

TYPES = {
    "actions": "text[]",
    "actors": "text[]",
    "after": "text",
    "amount": "bigint",
    "archived": "boolean",
    "at": "timestamptz",
    "at_most": "bigint",
    "code": "text",
    "counted": "bigint",
    "credentials": "text[]",
    "customers": "text[]",
    "ids": "text[]",
    "keys": "text[]",
    "last": "bigint",
    "moved": "bigint",
    "now": "timestamptz",
    "objects": "text[]",
    "open": "text[]",
    "owners": "text[]",
    "payments": "text[]",
    "places": "text[]",
    "reserved": "bigint",
    "rings": "boolean",
    "seconds": "integer",
    "seq": "bigint",
    "settled": "bigint",
    "since": "timestamptz",
    "tokens": "double precision",
    "until": "timestamptz",
}
OWN_TYPES = {
    **{(name, "after"): "bigint" for name in [*vars(trail), "UNTOLD_ROWS"]},
    ("DROP_BELLS", "ids"): "bigint[]",
    ("FLUSH", "payments"): "jsonb",
}
"""Parameters that mean something else in one statement."""


def hot_statements() -> dict[str, str]:
    """What a decision or a dispatch waits for, by name."""
    found = {
        name: value.text
        for module in (
            read_statements,
            run_statements,
            write_statements,
            approval_desk,
            approvals,
            background,
            attention,
            desk,
            endpoints,
            external,
            figures,
            freezes,
            inbox_statements,
            past,
            late_limits,
            lookups,
            people_statements,
            outgoing,
            telling,
            power,
            processes,
            queue,
            rules,
            stand_ins,
            trail,
            votes,
        )
        for name, value in vars(module).items()
        if isinstance(value, TextClause)
    }
    assert len(found) > 40
    assert set(COLD) <= set(found)
    return {name: statement for name, statement in found.items() if name not in COLD}
