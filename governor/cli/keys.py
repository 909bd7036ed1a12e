"""`governor key`: credentials, made and revoked by whoever operates the host."""

from __future__ import annotations

import secrets
from datetime import timedelta
from pathlib import Path
from typing import Any

import click

from governor.api.shown_settings import shown_credential
from governor.cli.local import application, host_in
from governor.cli.options import WORD, Currency, OneOf, Whole, data_option, environment_option
from governor.cli.saying import Group, Said, listed, shown
from governor.domain.credentials import Kind, Role
from governor.usecases.credential_drafts import CredentialDraft

_COLUMNS = "id name role kind owner agent parent expires_at last_used_at revoked_at".split()


class PerCurrency(click.ParamType[tuple[str, int]]):
    """An amount in minor units of one currency: `usd=50000`."""

    name = "currency=amount"

    def convert(
        self,
        value: Any,  # noqa: ANN401  click's signature
        param: click.Parameter | None,
        ctx: click.Context | None,
    ) -> tuple[str, int]:
        """The currency and the amount, or a usage error."""
        currency, _, amount = str(value).partition("=")
        return Currency().convert(currency, param, ctx), Whole().convert(amount, param, ctx)


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
@click.option("--approve-up-to", type=PerCurrency(), multiple=True, metavar="CURRENCY=AMOUNT", help="What an approver may approve at once; may repeat. Any amount when not given.")  # fmt: skip
@environment_option
@data_option()
def create(
    name: str,
    role: Role,
    kind: Kind,
    owner: str,
    agent: str | None,
    expires_in_days: int | None,
    approve_up_to: tuple[tuple[str, int], ...],
    environment: str | None,
    data: Path | None,
) -> Said:
    """A new key. It is printed now and nowhere else, ever."""
    if len(dict(approve_up_to)) < len(approve_up_to):
        raise click.UsageError("--approve-up-to names a currency twice")
    with application(data) as app:
        caller = host_in(app, environment)
        expires_at = app.store.now() + timedelta(days=expires_in_days) if expires_in_days else None
        draft = CredentialDraft(name, role, kind, owner, agent, expires_at, dict(approve_up_to) or None)
        credential, secret_key = app.manage_credentials.found(caller.environment, draft)
    return shown(
        {**shown_credential(credential), "key": secret_key}, first="Keep the key: it is shown only now."
    )


@key.command("list")
@environment_option
@data_option()
def list_(environment: str | None, data: Path | None) -> Said:
    """All credentials, children behind their parent; secrets are never kept."""
    with application(data) as app:
        rows = [shown_credential(one) for _, one in app.queries.credentials(host_in(app, environment))]
    return listed(rows, _COLUMNS, "none yet")


@key.command("rotate")
@click.argument("credential")
@click.option("--overlap-seconds", type=Whole(0, 7 * 24 * 3600), default=0, show_default=True, help="For how long the old secret still opens.")  # fmt: skip
@environment_option
@data_option()
def rotate(credential: str, overlap_seconds: int, environment: str | None, data: Path | None) -> Said:
    """A new secret. It is printed now and nowhere else, ever."""
    with application(data) as app:
        replaced, secret_key, _ = app.manage_credentials.rotate(
            host_in(app, environment),
            credential,
            timedelta(seconds=overlap_seconds),
            f"cli-{secrets.token_hex(16)}",
        )
    return shown(
        {**shown_credential(replaced), "key": secret_key}, first="Keep the key: it is shown only now."
    )


@key.command("revoke")
@click.argument("credential")
@click.option("--reason", help="Why; kept with it.")
@environment_option
@data_option()
def revoke(credential: str, reason: str | None, environment: str | None, data: Path | None) -> Said:
    """From now on it and all below it open nothing, and what they queued is canceled."""
    with application(data) as app:
        caller = host_in(app, environment)
        return shown(shown_credential(app.manage_credentials.revoke(caller, credential, reason)))
