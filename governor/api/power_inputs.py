"""What callers may send about who may do what: credentials and freezes."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from governor.api.inputs import Input, Instant, Text, Word
from governor.domain.credentials import Kind, Role
from governor.domain.limits import Scope

Reason = Annotated[Text, Field(min_length=1)]


class CredentialIn(Input):
    """A new credential. `owner` is the person who answers for it, `agent` whose refunds it counts as.

    Left out, both are its name; an agent's credential is a program's, any other a human's.
    """

    name: Word
    role: Role
    kind: Kind | None = None
    owner: Word | None = None
    agent: Word | None = None
    expires_at: Instant | None = None


class FreezeIn(Input):
    """What to stop or to let go on, and why. The whole environment has no value, every other scope has one.

    `scope`: environment, credential (with everything below it), payment or customer.
    """

    scope: Scope = Scope.ENVIRONMENT
    value: Word | None = None
    reason: Reason
