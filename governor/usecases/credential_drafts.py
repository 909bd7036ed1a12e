"""Keys as they are asked for, before anything is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from governor.domain.credentials import Credential, Kind, Role
from governor.domain.delegation import MOST_CAPS, Child
from governor.domain.errors import invalid
from governor.domain.money import check_bounds
from governor.usecases.change_limit import LimitDraft

LONGEST_LIFE = timedelta(days=3660)
LONGEST_OVERLAP = timedelta(days=7)


@dataclass(frozen=True)
class CredentialDraft:
    """A key to be made. What is None is chosen by its maker's kind: by its parent, when an agent makes it.

    `owner` is the person who answers for it, `agent` whose refunds it counts as: its name, both. `approve_up_to`:
    what an approver may approve at once, minor units by currency; None: any amount. `caps`: limits of its own.
    """

    name: str
    role: Role | None
    kind: Kind | None = None
    owner: str | None = None
    agent: str | None = None
    expires_at: datetime | None = None
    approve_up_to: Mapping[str, int] | None = None
    caps: tuple[LimitDraft, ...] = ()

    def check_life(self, now: datetime) -> None:
        """Refuse what no key can have.

        Raises:
            Invalid: about `/expires_at` or `/caps`.
        """
        if self.expires_at is not None and not now < self.expires_at <= now + LONGEST_LIFE:
            raise invalid(
                "/expires_at", "expiry_out_of_range", "A key expires in the future, within ten years."
            )
        if len(self.caps) > MOST_CAPS:
            raise invalid("/caps", "too_many_caps", f"A key has {MOST_CAPS} caps of its own at most.")

    def child(self) -> Child:
        """As a wish to an agent's own credential.

        Raises:
            Invalid: `/approve_up_to`.
        """
        if self.approve_up_to is not None:
            raise invalid("/approve_up_to", "approve_up_to_unfit", "Only an approver approves.")
        return Child(self.name, self.role, self.kind, self.owner, self.agent, self.expires_at)


def root(environment: str, draft: CredentialDraft, credential_id: str, now: datetime) -> Credential:
    """A credential without a parent, as an operator or whoever operates the host makes it.

    Raises:
        Invalid: `/role` when none is named; `/approve_up_to`.
    """
    role = draft.role
    if role is None:
        raise invalid("/role", "field_missing", "Say what the key is for.")
    _check_own_limit(role, draft.approve_up_to)
    return Credential(
        id=credential_id,
        environment=environment,
        name=draft.name,
        role=role,
        kind=draft.kind or (Kind.PROGRAM if role is Role.AGENT else Kind.HUMAN),
        owner=draft.owner or draft.name,
        agent=draft.agent or draft.name,
        parent=None,
        created_at=now,
        expires_at=draft.expires_at,
        revoked_at=None,
        approve_up_to=draft.approve_up_to,
    )


def _check_own_limit(role: Role, approve_up_to: Mapping[str, int] | None) -> None:
    if approve_up_to is None:
        return
    if role is not Role.APPROVER:
        raise invalid("/approve_up_to", "approve_up_to_unfit", "Only an approver approves.")
    check_bounds("/approve_up_to", approve_up_to)
