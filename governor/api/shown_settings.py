"""Credentials and environments as callers see them."""

from __future__ import annotations

from typing import Any

from governor.api.output import Output, Time
from governor.domain.credentials import Credential
from governor.domain.environments import Environment


class CredentialOut(Output):
    """A credential, never its secret. `key` is there once, in the answer that creates it.

    `approve_up_to` null: any amount. `previous_until`: until when the secret before the last rotation opens.
    `last_used_at` is to the minute. `person`: whose membership it is, which no key opens; `suspended_at`: since when
    that person is disabled.
    """

    id: str
    environment: str
    name: str
    role: str
    kind: str
    owner: str
    agent: str
    parent: str | None
    created_at: Time
    expires_at: Time | None
    revoked_at: Time | None
    revoked_reason: str | None
    approve_up_to: dict[str, int] | None
    rotated_at: Time | None
    previous_until: Time | None
    last_used_at: Time | None
    person: str | None
    suspended_at: Time | None


class NewCredentialOut(CredentialOut):
    """A credential with its key, shown this once; null in a replay."""

    key: str | None


def shown_credential(credential: Credential) -> dict[str, Any]:
    """A credential, all of it but the secret."""
    return CredentialOut(**vars(credential)).model_dump(mode="json")


class EnvironmentOut(Output):
    """The settings of an environment, and what stops its provider writes."""

    name: str
    account: str
    mode: str
    frozen_reason: str | None
    paused_reason: str | None
    halted_reason: str | None
    fenced_at: Time | None
    rate_per_second: int
    approval_seconds: int
    late_limits: str
    expiry_notices: bool
    raises_need_two: bool
    reasons_required: bool
    prove_above: dict[str, int]
    type_above: dict[str, int]
    undo_seconds: int
    limits_revision: int
    revision: int
    created_at: Time


def shown_environment(environment: Environment) -> dict[str, Any]:
    """An environment, all of it."""
    return EnvironmentOut(**vars(environment)).model_dump(mode="json")
