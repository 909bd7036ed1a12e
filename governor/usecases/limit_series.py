"""Writing the series of changes that a limit is: how it begins, what is said next, and how it is archived."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from governor.domain.errors import NotFound, PreconditionFailed, invalid
from governor.domain.limit_changes import LimitChange, allows_more, refuse_crowd, with_step
from governor.domain.limits import Limit, Measure, Scope
from governor.domain.second_person import Word
from governor.domain.seen import AsSeen
from governor.domain.words import check_words
from governor.ports.store import Transaction
from governor.usecases.callers import Caller
from governor.usecases.limit_history import pending_in, seen_of
from governor.usecases.prove_capacity import wake_parked


@dataclass(frozen=True)
class Saying:
    """Why a limit is changed, and for when: `effective_at` None is at once, `until` None for good. UTC."""

    reason: str = ""
    effective_at: datetime | None = None
    until: datetime | None = None

    def begins(self, now: datetime) -> datetime:
        """From when on it counts (UTC).

        Raises:
            Invalid: `/until`, where it would be over by then.
        """
        at = max(self.effective_at or now, now)
        if self.until is not None and self.until <= at:
            raise invalid("/until", "until_unfit", "A change ends after it begins.")
        return at


SAYING_NOTHING = Saying()


def word(tx: Transaction, caller: Caller, reason: str) -> Word:
    """What this caller says now.

    Raises:
        Invalid: `/reason`, where the environment asks for one.
    """
    if tx.here.reasons_required or reason:
        check_words("/reason", reason)
    return Word(caller.credential.owner, caller.credential.id, reason, tx.now)


def existing(tx: Transaction, limit_id: str) -> Limit:
    """The limit, archived or not.

    Raises:
        NotFound: `limit_not_found`.
    """
    limit = tx.limit(tx.here.name, limit_id)
    if limit is None:
        raise NotFound("limit_not_found", "There is no such limit.")
    return limit


def current(tx: Transaction, limit_id: str, seen: AsSeen) -> Limit:
    """The limit that is not archived, as its changer has seen it.

    Raises:
        NotFound: `limit_not_found`. PreconditionFailed: `revision_stale`, also where only time has changed it.
    """
    limit = unarchived(tx, limit_id)
    told = {"revision": limit.revision}
    if seen.revision != limit.revision:
        raise PreconditionFailed("revision_stale", "Somebody changed the limit.", told)
    if seen.moment is not None:
        pending = pending_in(tx, tx.here.name, tx.now, limit_id).get(limit_id, ())
        if seen != seen_of(limit, pending):
            raise PreconditionFailed("revision_stale", "It is not what was read any more.", told)
    return limit


def unarchived(tx: Transaction, limit_id: str) -> Limit:
    """The limit that still binds.

    Raises:
        NotFound: `limit_not_found`.
    """
    limit = existing(tx, limit_id)
    if limit.archived:
        raise NotFound("limit_not_found", "The limit is archived.")
    return limit


def begin(tx: Transaction, caller: Caller, limit: Limit, change_id: str, reason: str) -> None:
    """Write a new limit with the first change of its series."""
    said = Word(caller.credential.owner, caller.credential.id, reason, tx.now)
    tx.add_limit(limit)
    tx.add_limit_change(_change(change_id, limit, said, tx.now, decided_at=tx.now))
    told = {"from": None, "to": standing(limit), "why": reason, "change": change_id}
    tx.append_audit([caller.entry("limit.created", limit.id, told)])


def opens(tx: Transaction, limit: Limit) -> bool:
    """Whether the limit would permit what none permits now: each amount needs a limit that applies to it."""
    everybody = {Scope.ENVIRONMENT, Scope.CREDENTIAL, Scope.AGENT, Scope.PAYMENT}
    return limit.measure is Measure.AMOUNT and not any(
        one.currency == limit.currency and one.value is None and one.scope in everybody and not one.tally
        for one in tx.active_limits()
    )


def say(
    tx: Transaction, caller: Caller, limit: Limit, wanted: Limit, said: Saying, change_id: str
) -> LimitChange:
    """The next change of a limit, to the cap and threshold of `wanted`: decided at once, or proposed to a second person.

    Raises:
        Invalid: `/until`, `/reason`. Conflict: `too_many_changes`.
    """
    who, at = word(tx, caller, said.reason), said.begins(tx.now)
    change = _change(change_id, wanted, who, at, until=said.until, decided_at=tx.now)
    refuse_crowd(limit.steps, change, tx.now)
    raises = allows_more(with_step(limit.steps, change.step), limit.steps, tx.now)
    waits = raises and tx.here.raises_need_two
    change = replace(change, raises=raises, decided_at=None if waits else tx.now)
    tx.add_limit_change(change)
    write(tx, replace(limit, revision=limit.revision + 1))
    action = "limit.change_proposed" if waits else "limit.changed"
    tx.append_audit([caller.entry(action, limit.id, told(limit, change))])
    return change


def propose_archiving(
    tx: Transaction, caller: Caller, limit: Limit, who: Word, change_id: str
) -> LimitChange:
    """An archived limit binds nobody any more, which is the widest raise there is."""
    change = replace(_change(change_id, limit, who, tx.now), archives=True, raises=True)
    tx.add_limit_change(change)
    write(tx, replace(limit, revision=limit.revision + 1))
    tx.append_audit([caller.entry("limit.archiving_proposed", limit.id, told(limit, change))])
    return change


def archive(tx: Transaction, caller: Caller, limit: Limit, who: Word, change_id: str) -> Limit:
    """It binds nobody from now on; what is held still settles in its counters."""
    change = _change(change_id, limit, who, tx.now, decided_at=tx.now)
    tx.add_limit_change(replace(change, archives=True, raises=True))
    return archived(tx, caller, limit, told(limit, change))


def archived(tx: Transaction, caller: Caller, limit: Limit, facts: Mapping[str, Any]) -> Limit:
    """Write that it is archived, which its series says already."""
    after = replace(limit, archived=True, revision=limit.revision + 1)
    write(tx, after)
    both = {"from": standing(limit), "to": standing(after)}
    tx.append_audit([caller.entry("limit.archived", limit.id, {**facts, **both})])
    return after


def write(tx: Transaction, limit: Limit) -> None:
    """Its new revision, and there may be room now for what waits."""
    tx.save_limit(limit)
    wake_parked(tx)


def _change(
    change_id: str,
    limit: Limit,
    said: Word,
    at: datetime,
    *,
    until: datetime | None = None,
    decided_at: datetime | None = None,
) -> LimitChange:
    return LimitChange(
        id=change_id,
        limit=limit.id,
        cap=limit.cap,
        approval_above=limit.approval_above,
        archives=False,
        raises=False,
        effective_at=at,
        until=until,
        proposed=said,
        decided_at=decided_at,
    )


def standing(limit: Limit) -> dict[str, Any]:
    """A limit as it stands at one revision, for the audit trail."""
    return {name: value for name, value in vars(limit).items() if name not in {"id", "steps"}}


def told(limit: Limit, change: LimitChange) -> dict[str, Any]:
    """A change for the audit trail, beside what stands when it is said."""
    wanted = replace(limit, cap=change.cap, approval_above=change.approval_above, revision=limit.revision + 1)
    return {
        "from": standing(limit),
        "to": standing(wanted),
        "change": change.id,
        "raises": change.raises,
        "archives": change.archives,
        "effective_at": change.effective_at.isoformat(),
        "until": change.until.isoformat() if change.until else None,
        "why": change.proposed.reason,
    }
