"""Stand-ins: an approver names one for a time, everybody whom it concerns sees it, and ends it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from governor.domain.credentials import Credential, Role, alive
from governor.domain.errors import NotFound, invalid
from governor.domain.requests import spelled
from governor.domain.stand_ins import Acting, StandIn, StandIns, check_times, refuse_ending, refuse_overlap
from governor.ports.reads import Reads
from governor.ports.stand_ins import StandInStore, StandInTransaction
from governor.ports.world import IdFactory
from governor.usecases.callers import Caller, rights
from governor.usecases.operations import earlier, remember

AT_MOST = 500
"""How many are shown of those that are over: those that were named last."""


@dataclass(frozen=True)
class StandInDraft:
    """Who stands in for whoever says it, from when until when (UTC); `begins_at` None: from now on."""

    stand_in: str
    begins_at: datetime | None
    ends_at: datetime

    def told(self) -> dict[str, str | None]:
        """All of it, for the trail and, for good, for the fingerprint of its operation key."""
        begins = None if self.begins_at is None else spelled(self.begins_at.astimezone(UTC))
        return {"stand_in": self.stand_in, "from": begins, "to": spelled(self.ends_at.astimezone(UTC))}


@dataclass(frozen=True)
class NameStandIns:
    """What approvers say of their own absence. Whether it counts is looked up when somebody decides."""

    store: StandInStore
    ids: IdFactory
    now: Callable[[], datetime]

    def __call__(self, caller: Caller, draft: StandInDraft, key: str) -> StandIn:
        """The caller's stand-in from then on; the recorded one where this key was used before.

        Raises:
            Forbidden: `role_not_allowed`. Invalid: `/stand_in`, `/ends_at`. Conflict: `stand_in_exists`.
        """
        asked = draft.told()
        scope = f"stand_in:{caller.credential.id}"
        with self.store.environment(caller.environment) as tx:
            own = rights(tx, caller, Role.APPROVER)[0]
            known = earlier(tx, scope, key, asked)
            if known is not None:
                return _one(tx, known)
            begins_at = draft.begins_at or tx.now
            check_times(begins_at, draft.ends_at, tx.now)
            _refuse_nobody(tx, own, draft.stand_in)
            new = StandIn(self.ids.new("sti"), own.owner, draft.stand_in, begins_at, draft.ends_at, tx.now)
            refuse_overlap(new, tx.stand_ins_from(tx.here.name, tx.now))
            tx.add_stand_in(new, own.id)
            tx.append_audit([caller.entry("stand_in.named", new.id, {**asked, "away": new.away})])
            remember(tx, scope, key, asked, new.id)
            return new

    def end(self, caller: Caller, stand_in_id: str) -> StandIn:
        """It counts no more; what was approved in its time stays approved. Ended before, it stays as it was.

        Raises:
            NotFound: `stand_in_not_found`. Forbidden: `role_not_allowed`, `not_yours`.
        """
        with self.store.environment(caller.environment) as tx:
            own = rights(tx, caller, Role.APPROVER, Role.OPERATOR)[0]
            one = _one(tx, stand_in_id)
            refuse_ending(one, own.owner, operator=own.role is Role.OPERATOR)
            if one.over(tx.now):
                return one
            ended = replace(one, ended_at=tx.now, ended_by=own.owner)
            tx.end_stand_in(ended)
            told = {"away": one.away, "stand_in": one.stand_in}
            tx.append_audit([caller.entry("stand_in.ended", one.id, told)])
            return ended

    def seen_by(self, caller: Caller) -> tuple[StandIn, ...]:
        """Those of the caller, on either side; all of them for whoever oversees the environment.

        However many there were, those that are not over are among them, and first; each part newest first.
        """
        own, now = caller.credential, self.now()
        with self.store.reading() as reads:
            standing = reads.stand_ins_from(caller.environment, now)
            newest = reads.newest_stand_ins(caller.environment, at_most=AT_MOST)
        first = sorted(standing, key=lambda one: one.id, reverse=True)
        found = [*first, *(one for one in newest if one.over(now))]
        return tuple(one for one in found if own.role is not Role.APPROVER or own.owner in one.people)

    def possible(self, caller: Caller) -> tuple[str, ...]:
        """Whom the caller could name, by login: everybody else who approves here."""
        with self.store.reading() as reads:
            chains = approving(reads, caller.environment, self.now())
        return tuple(sorted(set(by_owner(chains)) - {caller.credential.owner}))


def acting_now(reads: Reads, environment: str, person: str, now: datetime) -> Acting:
    """For whom this person acts at `now`. No credentials are read but those of the people in whose places they do."""
    live = reads.stand_ins(environment, now)
    away = {one.away for one in live if one.stand_in == person}
    chains = approving(reads, environment, now, away) if away else []
    return StandIns(live, by_owner(chains)).acting(person)


def approving(
    reads: Reads, environment: str, now: datetime, owners: Collection[str] | None = None
) -> list[tuple[Credential, ...]]:
    """The credentials with which somebody could approve at `now`, each with its ancestors; with `owners`, these people."""
    ids = [one.id for one in reads.approvers(environment, owners)]
    return [chain for chain in reads.credential_chains(environment, ids).values() if alive(chain, now)]


def by_owner(chains: Iterable[Sequence[Credential]]) -> dict[str, list[Credential]]:
    """Whose credentials they are, without their ancestors."""
    found: dict[str, list[Credential]] = defaultdict(list)
    for chain in chains:
        found[chain[0].owner].append(chain[0])
    return found


def _one(tx: StandInTransaction, stand_in_id: str) -> StandIn:
    found = tx.stand_in(tx.here.name, stand_in_id)
    if found is None:
        raise NotFound("stand_in_not_found", "There is no such stand-in.")
    return found


def _refuse_nobody(tx: StandInTransaction, own: Credential, stand_in: str) -> None:
    """Refuse oneself, and whoever could approve nothing."""
    if stand_in == own.owner:
        raise invalid("/stand_in", "oneself", "Name somebody else.")
    if not approving(tx, tx.here.name, tx.now, {stand_in}):
        raise invalid("/stand_in", "no_approver", "Only an approver of this environment can stand in.")
