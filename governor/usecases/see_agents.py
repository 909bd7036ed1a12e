"""Agents: whose refunds keys count as, with those keys, what they asked for, and what limits leave them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from governor.domain.credentials import Credential, Role
from governor.domain.delegation import living
from governor.domain.errors import NotFound
from governor.domain.limits import Scope
from governor.domain.requests import RefundRequest
from governor.ports.approvals import Approvals
from governor.ports.records import RequestFilter
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller
from governor.usecases.customer_requests import LOOKED_BACK
from governor.usecases.limits_in_effect import About, InEffect, LimitsInEffect
from governor.usecases.queries import Queries
from governor.usecases.requester_record import Record, record_of

NEWEST = 10
"""How many of its requests are shown; the list has the others."""


@dataclass(frozen=True)
class AgentKey:
    """A key of an agent, `depth` below the topmost that the caller may know.

    `chain` are the ids of it and of all above it, whose limits count it. `lives`: it opens something now. `stopped`:
    it or one above it is frozen, so nothing of it is sent.
    """

    depth: int
    credential: Credential
    chain: tuple[str, ...]
    lives: bool
    stopped: bool


@dataclass(frozen=True)
class Agent:
    """An agent, by the name that its refunds count as, with the keys of it that the caller may know."""

    name: str
    keys: tuple[AgentKey, ...]

    @property
    def owners(self) -> tuple[str, ...]:
        """Who answers for its keys."""
        return tuple(sorted({one.credential.owner for one in self.keys}))

    @property
    def last_used_at(self) -> datetime | None:
        """When one of its keys was last used (UTC)."""
        used = (one.credential.last_used_at for one in self.keys)
        return max((at for at in used if at is not None), default=None)

    @property
    def alive(self) -> tuple[Credential, ...]:
        """Those of its keys that open anything."""
        return tuple(one.credential for one in self.keys if one.lives)

    @property
    def counted(self) -> frozenset[str]:
        """The keys whose limits count what `alive` ones ask for: these, and those above them."""
        return frozenset(above for one in self.keys if one.lives for above in one.chain)

    @property
    def topmost(self) -> tuple[Credential, ...]:
        """Those of `alive` whose end is the end of all the others, too."""
        alive = {one.id for one in self.alive}
        return tuple(one for one in self.alive if one.parent not in alive)


@dataclass(frozen=True)
class AgentSeen:
    """An agent with its record of 30 days, its newest requests, and the limits that count it."""

    agent: Agent
    record: Record
    requests: tuple[RefundRequest, ...]
    limits: InEffect


@dataclass(frozen=True)
class SeeAgents:
    """Looking at agents, within the caller's environment: overseers at all, people at those whose keys they answer for."""

    store: UnitOfWork
    queries: Queries
    approvals: Approvals
    in_effect: LimitsInEffect

    def all(self, caller: Caller) -> tuple[Agent, ...]:
        """Every agent that has a key which the caller may know, by name."""
        tree = self.queries.credentials(caller)
        chains, alive, stopped = self._standing(caller, [one for _, one in tree])
        found: defaultdict[str, list[AgentKey]] = defaultdict(list)
        for depth, one in tree:
            if one.role is Role.AGENT and one.person is None:
                key = AgentKey(depth, one, chains[one.id], one.id in alive, one.id in stopped)
                found[one.agent].append(key)
        return tuple(Agent(name, tuple(keys)) for name, keys in sorted(found.items()))

    def of_key(self, caller: Caller, credential_id: str) -> Agent:
        """The agent whose refunds the requests of this key count as.

        Raises:
            NotFound: `credential_not_found`.
        """
        for agent in self.all(caller):
            if any(one.credential.id == credential_id for one in agent.keys):
                return agent
        raise NotFound("credential_not_found", "There is no such key of an agent here.")

    def one(self, caller: Caller, credential_id: str) -> AgentSeen:
        """The same with what it does.

        Raises:
            NotFound: `credential_not_found`.
        """
        agent, now = self.of_key(caller, credential_id), self.store.now()
        asking = [one.credential.id for one in agent.keys if _lived_since(one.credential, now - LOOKED_BACK)]
        chosen = RequestFilter(requested_by=tuple(one.credential.id for one in agent.keys))
        return AgentSeen(
            agent,
            record_of(self.approvals, caller.environment, asking, now),
            self.queries.requests(caller, chosen, after=None, at_most=NEWEST),
            self.in_effect(caller, About(agent=agent.name), agent.counted),
        )

    def _standing(
        self, caller: Caller, known: Sequence[Credential]
    ) -> tuple[dict[str, tuple[str, ...]], frozenset[str], frozenset[str]]:
        """What is above each, which live, and which are stopped: also by what the caller does not know."""
        with self.store.reading() as reads:
            chains = reads.credential_chains(caller.environment, {one.id for one in known})
            freezes = reads.freezes(caller.environment)
        tree = {one.id: one for chain in chains.values() for one in chain}
        frozen = {one.value for one in freezes if one.scope is Scope.CREDENTIAL}
        stopped = (key for key, chain in chains.items() if any(one.id in frozen for one in chain))
        ids = {key: tuple(one.id for one in chain) for key, chain in chains.items()}
        return ids, living(tree.values(), self.store.now()), frozenset(stopped)


def _lived_since(credential: Credential, since: datetime) -> bool:
    """Whether it can have asked for anything since then: most keys of an old agent cannot."""
    ends = (at for at in (credential.revoked_at, credential.expires_at) if at is not None)
    return all(at >= since for at in ends)
