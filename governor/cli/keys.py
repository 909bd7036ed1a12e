"""`governor key`: credentials, made and revoked by whoever operates the host."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import click

from governor.api.shown_settings import shown_credential
from governor.cli.local import application, host_in
from governor.cli.options import WORD, OneOf, Whole, data_option, environment_option
from governor.cli.saying import Group, Said, listed, shown
from governor.domain.credentials import Kind, Role
from governor.usecases.manage_credentials import CredentialDraft


@click.group("key", cls=Group)
def key() -> None:
    """Keys of agents, approvers, operators and auditors."""


@key.command("create")
@click.option("--name", type=WORD, required=True)
@click.option("--role", type=OneOf(Role), required=True)
@click.option("--kind", type=OneOf(Kind), required=True)
@click.option("--owner", type=WORD, required=True, help="The person who answers for it; nobody decides their own.")  # fmt: skip
@click.option("--agent", type=WORD, help="The identity that agent limits count; its name when not given.")
@click.option("--expires-in-days", type=Whole(1, 3660))
@environment_option
@data_option()
def create(
    name: str,
    role: Role,
    kind: Kind,
    owner: str,
    agent: str | None,
    expires_in_days: int | None,
    environment: str | None,
    data: Path | None,
) -> Said:
    """A new key. It is printed now and nowhere else, ever."""
    with application(data) as app:
        caller = host_in(app, environment)
        expires_at = app.store.now() + timedelta(days=expires_in_days) if expires_in_days else None
        draft = CredentialDraft(name, role, kind, owner, agent, expires_at)
        credential, secret_key = app.manage_credentials.found(caller.environment, draft)
    return shown(
        {**shown_credential(credential), "key": secret_key}, first="Keep the key: it is shown only now."
    )


@key.command("list")
@environment_option
@data_option()
def list_(environment: str | None, data: Path | None) -> Said:
    """All credentials; secrets are never kept."""
    with application(data) as app:
        rows = [shown_credential(one) for one in app.queries.credentials(host_in(app, environment))]
    return listed(
        rows, ("id", "name", "role", "kind", "owner", "agent", "expires_at", "revoked_at"), "none yet"
    )


@key.command("revoke")
@click.argument("credential")
@environment_option
@data_option()
def revoke(credential: str, environment: str | None, data: Path | None) -> Said:
    """From now on it opens nothing, and what it queued is not sent."""
    with application(data) as app:
        return shown(shown_credential(app.manage_credentials.revoke(host_in(app, environment), credential)))
