"""What callers may send about who may do what: credentials and freezes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StrictInt

from governor.api.inputs import Bounds, CapIn, Input, Instant, Text, Word
from governor.domain.credentials import Kind, Role
from governor.domain.delegation import MOST_CAPS
from governor.domain.limits import Scope
from governor.usecases.change_limit import LimitDraft
from governor.usecases.credential_drafts import CredentialDraft

Reason = Annotated[Text, Field(min_length=1)]


class CredentialIn(Input):
    """A new credential. `owner` is the person who answers for it, `agent` whose refunds it counts as.

    Left out, both are its name; an agent's credential is a program's, any other a human's. One that an agent makes
    is its child: owner, agent, role and kind are its own, and its life is no longer.

    `approve_up_to`: what an approver may approve at once, minor units by currency; nothing of a currency that is not
    named; null: any amount.
    """

    name: Word
    role: Role | None = None
    kind: Kind | None = None
    owner: Word | None = None
    agent: Word | None = None
    expires_at: Instant | None = None
    approve_up_to: Bounds | None = None
    caps: Annotated[tuple[CapIn, ...], Field(max_length=MOST_CAPS)] = ()

    def draft(self) -> CredentialDraft:
        """What is asked for."""
        given = {name: getattr(self, name) for name in type(self).model_fields if name != "caps"}
        caps = tuple(LimitDraft(scope=Scope.CREDENTIAL, value=None, **vars(cap)) for cap in self.caps)
        return CredentialDraft(**given, caps=caps)


class RotationIn(Input):
    """For how long the secret that is replaced still opens: 0 (it ends now) to a week."""

    overlap_seconds: Annotated[StrictInt, Field(ge=0, le=7 * 24 * 3600)] = 0


class RevocationIn(Input):
    """Why the key is revoked."""

    reason: Reason | None = None


class FreezeIn(Input):
    """What to stop or to let go on, and why. The whole environment has no value, every other scope has one.

    `scope`: environment, credential (with everything below it), payment or customer.
    """

    scope: Scope = Scope.ENVIRONMENT
    value: Word | None = None
    reason: Reason
