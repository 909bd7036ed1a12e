"""Rows of the trail as people read them: what happened, to how much, what was before and what is after.

A row is read as it was written, perhaps by another release: whatever it says that is not known here is told as it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from governor.console.action_words import CHOICES, OUTCOMES, action
from governor.console.steer.limit_words import sentence, threshold
from governor.console.words import STATES, spaced
from governor.domain.approval import Choice
from governor.domain.audit import Entry, Sealed
from governor.domain.lifecycle import State
from governor.domain.limits import Measure, Scope
from governor.domain.money import EXPONENTS, Money
from governor.domain.outcome import Outcome
from governor.domain.windows import WindowKind
from governor.http.money_display import amount_display
from governor.usecases.change_limit import LimitDraft

_Facts = Mapping[str, Any]

_OWN: Final = frozenset(
    {"from", "to", "why", "person", "request_id", "address", "limits_revision", "currency"}
)
"""Facts with a place of their own; all the others are told by name."""

_SAY_THEIR_STATE: Final = frozenset({"refund_request.admitted", "refund_request.denied"})
"""Rows whose headline says in which state a thing began."""

_ASIDE: Final = frozenset({"revision", "revoked_at", "change", "canceled"})
"""What changes with every row of its kind: it stands with the details of the row."""

_AMOUNTS: Final = frozenset({"amount", "cap", "approval_above", "moved"})
"""Facts in minor units of the row's currency."""

_BY_CURRENCY: Final = frozenset({"prove_above", "type_above", "approve_up_to"})
"""Facts in minor units, each by its currency."""

_ID: Final = re.compile(r"[a-z]{2,8}_[0-9a-z]{26}|(?:re|pyr)_[A-Za-z0-9_]{1,120}")
"""What can be looked for: things of ours, and the provider's refunds."""


@dataclass(frozen=True)
class ToldRow:
    """One row. `amount` is the refund's, `about` says which thing it is; `details` are for who looks closer."""

    row: Sealed
    words: str
    amount: str | None
    about: str | None
    began: tuple[tuple[str, object], ...]
    changes: tuple[tuple[str, object, object], ...]
    details: tuple[tuple[str, object], ...]

    @property
    def by(self) -> str:
        """Who did it: a person, or `governor` itself. By this, everything that they did is found."""
        return self.row.entry.person or self.row.entry.actor

    @property
    def can_be_found(self) -> bool:
        """Whether the thing that it is about can be looked for by its id."""
        return _ID.fullmatch(self.row.entry.object) is not None

    @property
    def is_of_all(self) -> bool:
        """Whether it is about the environment, which need not be named where all is about it."""
        return self.row.entry.object == self.row.environment


def told(row: Sealed) -> ToldRow:
    """A row in words."""
    facts = row.entry.facts
    about = _about(row.entry)
    changes = _changes(row.entry)
    return ToldRow(
        row,
        headline(row.entry),
        _amount(facts),
        about,
        () if row.entry.action == "limit.created" and about else _began(row.entry),
        tuple(one for one in changes if one[0] not in _ASIDE),
        tuple((name, _worded(name, value, facts)) for name, value in facts.items() if name not in _OWN)
        + tuple(
            (name, new if old is None else f"{old} → {new}") for name, old, new in changes if name in _ASIDE
        ),
    )


def headline(entry: Entry) -> str:
    """What happened, in a few words."""
    facts, after = entry.facts, entry.facts.get("to")
    match entry.action:
        case "refund_request.admitted":
            held = after == State.PENDING_APPROVAL
            return f"Asked for, and {'held for approval' if held else 'allowed at once'}"
        case "refund_request.denied":
            return f"Asked for, and denied: {spaced(facts.get('denial'))}"
        case "hold.decided" | "refund_request.returned" if str(facts.get("choice")) in CHOICES:
            return CHOICES[Choice(facts["choice"])][0]
        case "refund_request.evidence" if str(facts.get("outcome")) in OUTCOMES:
            return OUTCOMES[Outcome(facts["outcome"])][0]
        case "credential.created" if isinstance(after, Mapping):
            return f"{'Role granted' if after.get('person') else 'Key made'}: {spaced(after.get('role'))}"
        case "run.asked":
            return f"{action(entry.action)}: {spaced(facts.get('kind'))}"
        case _:
            return action(entry.action)


def _amount(facts: _Facts) -> str | None:
    """The amount of a refund; what was left of it where less was approved."""
    said = facts.get("amount")
    if not isinstance(said, Mapping):
        return _money(said, facts.get("currency"))
    before, after = (_money(said.get(name), facts.get("currency")) for name in ("from", "to"))
    return after if before == after else f"{after} of {before}"


def _money(minor: object, currency: object) -> str | None:
    """Minor units as people read them; None for what is none."""
    if isinstance(minor, bool) or not isinstance(minor, int) or minor < 0 or str(currency) not in EXPONENTS:
        return None
    return amount_display(Money(minor, str(currency)))


def _about(entry: Entry) -> str | None:
    """Which thing a row is about, where it says more than its id."""
    facts, after = entry.facts, entry.facts.get("to")
    if entry.action.startswith("limit.") and isinstance(after, Mapping):
        return _limit(after)
    if entry.action.startswith("freeze."):
        scope = "key" if facts.get("scope") == Scope.CREDENTIAL else facts.get("scope")
        return " ".join(str(one) for one in (scope, facts.get("value")) if one)
    if entry.action.startswith(("rule.", "credential.")) and isinstance(after, Mapping):
        return next((str(after[name]) for name in ("name", "owner") if after.get(name)), None)
    return next((str(facts[name]) for name in ("login", "place") if facts.get(name)), None)


def _limit(said: _Facts) -> str | None:
    """A limit as a row says that it stands; None for what no limit of today can be."""
    try:
        draft = LimitDraft(
            Scope(said["scope"]),
            said["value"],
            Measure(said["measure"]),
            said["currency"],
            WindowKind(said["window"]),
            said["window_days"],
            said["time_zone"],
            said["cap"],
            said["approval_above"],
        )
        return ". ".join(filter(None, (sentence(draft), threshold(draft))))
    except (KeyError, TypeError, ValueError):
        return None


def _is_for_a_time(entry: Entry) -> bool:
    """Whether `from` and `to` are when something begins and ends, and not what was before and what is after."""
    return entry.action.startswith("stand_in.")


def _began(entry: Entry) -> tuple[tuple[str, object], ...]:
    """What a thing is that was not there before, member by member; nothing for what was."""
    facts, before, after = entry.facts, entry.facts.get("from"), entry.facts.get("to")
    if _is_for_a_time(entry):
        return tuple((name, facts[name]) for name in ("from", "to") if facts.get(name) is not None)
    if before is not None or not isinstance(after, Mapping):
        return ()
    known = _with_currency(facts, after)
    return tuple(
        (name, _worded(name, value, known)) for name, value in sorted(after.items()) if value is not None
    )


def _changes(entry: Entry) -> tuple[tuple[str, object, object], ...]:
    """Name, before, after, of what differs; a plain state is one of them."""
    facts, before, after = entry.facts, entry.facts.get("from"), entry.facts.get("to")
    if before == after or _is_for_a_time(entry):
        return ()
    if before is None and (isinstance(after, Mapping) or entry.action in _SAY_THEIR_STATE):
        return ()
    if isinstance(before, Mapping) or isinstance(after, Mapping):
        old, new = (one if isinstance(one, Mapping) else {} for one in (before, after))
        known = _with_currency(facts, {**old, **new})
        differing = (name for name in sorted({*old, *new}) if old.get(name) != new.get(name))
        return tuple(
            (name, *(_worded(name, one.get(name), known) for one in (old, new))) for name in differing
        )
    return (("state", _worded("state", before, facts), _worded("state", after, facts)),)


def _with_currency(facts: _Facts, said: _Facts) -> _Facts:
    return {**facts, "currency": said.get("currency") or facts.get("currency")}


def _worded(name: str, value: object, facts: _Facts) -> object:
    """A fact as people read it: money as money, a state by its name, everything else as it is."""
    currency = facts.get("currency")
    if isinstance(value, Mapping) and name in _AMOUNTS:
        return {key: _money(minor, currency) or minor for key, minor in value.items()}
    if isinstance(value, Mapping) and name in _BY_CURRENCY:
        return [_money(minor, code) or f"{minor} {code}" for code, minor in value.items()]
    if name == "state" and isinstance(value, str):
        return STATES[State(value)][0] if value in STATES else spaced(value)
    return (_money(value, currency) or value) if name in _AMOUNTS else value
