"""An environment's settings, and how one is founded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from governor.domain.credentials import Role
from governor.domain.environments import SETTLING, UNDO_SECONDS, Environment, Mode, check_pace
from governor.domain.errors import Conflict, NotFound, PreconditionFailed
from governor.domain.late_limits import LateLimits
from governor.domain.money import check_bounds
from governor.domain.words import check_words
from governor.ports.inbox import EventInbox, Walk
from governor.ports.provider import PaymentProvider
from governor.ports.store import UnitOfWork
from governor.usecases.callers import HOST, Caller, host, rights
from governor.usecases.fence_environment import fence
from governor.usecases.prove_capacity import wake_parked

TEST_RATE_PER_SECOND = 25
"""Stripe's rate in a sandbox (STRIPE.md §6)."""


@dataclass(frozen=True)
class EnvironmentDraft:
    """The settings an operator may change. `approval_seconds`: how long a hold waits for its approver.

    The others: governor.domain.environments.
    """

    mode: Mode
    rate_per_second: int
    approval_seconds: int
    late_limits: LateLimits = LateLimits.HOLD
    expiry_notices: bool = True
    raises_need_two: bool = False
    reasons_required: bool = False
    prove_above: Mapping[str, int] = field(default_factory=dict)
    type_above: Mapping[str, int] = field(default_factory=dict)
    undo_seconds: int = UNDO_SECONDS

    def check(self) -> None:
        """Refuse settings that cannot be.

        Raises:
            Invalid: about `/rate_per_second`, `/approval_seconds`, `/undo_seconds`, `/prove_above` or `/type_above`.
        """
        check_pace(self.rate_per_second, self.approval_seconds, self.undo_seconds)
        check_bounds("/prove_above", self.prove_above)
        check_bounds("/type_above", self.type_above)


@dataclass(frozen=True)
class ChangeEnvironment:
    """Found environments and change their settings."""

    store: UnitOfWork
    provider: PaymentProvider
    inbox: EventInbox

    def found(self, name: str, draft: EnvironmentDraft) -> Environment:
        """A new environment, bound to the account behind the provider key.

        Raises:
            Invalid: the draft. Conflict: `environment_exists`. Forbidden: `live_mode_refused`. Unavailable.
        """
        draft.check()
        account = self.provider.read_account()
        environment = Environment(
            name=name,
            account=account.id,
            frozen_reason=None,
            paused_reason=None,
            halted_reason=None,
            limits_revision=0,
            revision=1,
            created_at=self.store.now(),
            **vars(draft),
        )
        if not self.store.add_environment(environment):
            raise Conflict("environment_exists", "There is an environment of that name.")
        with self.store.environment(name) as tx:
            told = {"account": account.id, "from": None, "to": _settings(environment)}
            tx.append_audit([host(name).entry("environment.founded", name, told)])
        return environment

    def __call__(self, caller: Caller, draft: EnvironmentDraft, revision: int) -> Environment:
        """Change the caller's own environment.

        Raises:
            Invalid: the draft. PreconditionFailed: `revision` is not the present one. Forbidden: `role_not_allowed`.
            Conflict: `raises_need_two`, when one person would do alone what takes two.
        """
        draft.check()
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            if tx.here.revision != revision:
                raise PreconditionFailed(
                    "revision_stale", "Somebody changed the environment.", {"revision": tx.here.revision}
                )
            before = tx.here
            self.refuse_alone(caller, before, draft)
            after = replace(before, revision=revision + 1, **vars(draft))
            tx.save_environment(after)
            wake_parked(tx)
            told = {"from": _settings(before), "to": _settings(after)}
            tx.append_audit([caller.entry("environment.changed", after.name, told)])
            return after

    def refuse_alone(self, caller: Caller, here: Environment, draft: EnvironmentDraft) -> None:
        """Say of a change from `here`, before anybody makes it, that this caller may not.

        Raises:
            Conflict: `raises_need_two`, when one person would do alone what takes two.
        """
        if here.loosened(replace(here, **vars(draft))) and caller.credential.id != HOST:
            raise Conflict(
                "raises_need_two", "Only whoever operates the host lets one person do what takes two here."
            )

    def acknowledge(self, caller: Caller, reason: str) -> Environment:
        """An operator has seen why provider writes were fenced, halted or paused, and lets them go on (invariant 11).

        Requests that are in doubt keep their holds; nothing is resolved by this.

        Raises:
            Invalid: about `/reason`. Forbidden: `role_not_allowed`.
            Conflict: `not_stopped` when nothing is fenced, halted or paused; `sweep_needed` when the provider's
                lists were not walked since the database was put in the place of another one.
        """
        check_words("/reason", reason)
        walks = [self.inbox.walk(caller.environment, name) for name in ("events", "refunds")]
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            fence(tx)
            here = tx.here
            if (here.fenced_at, here.halted_reason, here.paused_reason) == (None, None, None):
                raise Conflict("not_stopped", "The environment is neither fenced, halted nor paused.")
            _refuse_without_walks(here, walks)
            after = replace(
                here, fenced_at=None, halted_reason=None, paused_reason=None, revision=here.revision + 1
            )
            told = {"from": here.stops, "to": after.stops, "why": reason}
            tx.save_environment(after)
            tx.append_audit([caller.entry("environment.acknowledged", after.name, told)])
            return after


def _settings(environment: Environment) -> dict[str, Any]:
    """What an operator chose, at one revision, for the audit trail."""
    return {name: getattr(environment, name) for name in (*EnvironmentDraft.__dataclass_fields__, "revision")}


def _refuse_without_walks(here: Environment, walks: Sequence[Walk | None]) -> None:
    begun = [walk.walked_at if walk is not None else None for walk in walks]
    if here.fenced_at is not None and any(map(here.needs_walk, begun)):
        since = (here.fenced_at + SETTLING).isoformat()
        raise Conflict(
            "sweep_needed",
            "What the database may have forgotten was not looked up at the provider yet; cron does that.",
            {"since": since},
        )


def existing(environment: Environment | None) -> Environment:
    """The environment, which must exist.

    Raises:
        NotFound: `environment_not_found`.
    """
    if environment is None:
        raise NotFound("environment_not_found", "There is no such environment.")
    return environment
