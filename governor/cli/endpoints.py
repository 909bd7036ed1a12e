"""`governor endpoint`: where messages go, set up by whoever operates the host, and what became of each."""

from __future__ import annotations

import secrets
import sys
from datetime import timedelta
from pathlib import Path

import click

from governor.api.shown_endpoints import (
    shown_delivery,
    shown_endpoint,
    shown_health,
    shown_new_endpoint,
    shown_whole_endpoint,
)
from governor.cli.local import application, host_in
from governor.cli.options import WORD, Decorated, OneOf, Whole, data_option, environment_option
from governor.cli.saying import Group, Said, listed, shown
from governor.domain.deliveries import DeliveryState
from governor.domain.endpoints import EndpointKind
from governor.ports.messages import DeliveryFilter
from governor.usecases.manage_endpoints import EndpointDraft

_COLUMNS = "id kind place types description waiting given_up failing_since disabled_reason".split()
_DELIVERY_COLUMNS = "message type object state tries due_at last_status last_error".split()
_KEPT_BY_YOU = "Keep the secret: it is shown only now."


@click.group("endpoint", cls=Group)
def endpoint() -> None:
    """Endpoints: who is told what happened, by webhook, Slack or e-mail."""


def _here(command: Decorated) -> Decorated:
    return environment_option(data_option()(command))


@endpoint.command("list")
@_here
def list_(environment: str | None, data: Path | None) -> Said:
    """All of them, and how each is doing."""
    with application(data) as app:
        rows = [shown_health(one) for one in app.messages.see.all(host_in(app, environment))]
    return listed(rows, _COLUMNS, "none yet")


@endpoint.command("create")
@click.option("--kind", type=OneOf(EndpointKind), default=EndpointKind.WEBHOOK.value, show_default=True)
@click.option("--url", help="Where a webhook is; a Slack URL is a secret: see --url-file.")
@click.option("--url-file", type=click.Path(path_type=Path, dir_okay=False, allow_dash=True), help="File that holds the URL, - for standard input.")  # fmt: skip
@click.option("--to", multiple=True, help="An e-mail address; may repeat.")
@click.option("--type", "types", multiple=True, help="A type of message; may repeat. All when not given.")
@click.option("--description", type=WORD)
@_here
def create(
    kind: EndpointKind,
    url: str | None,
    url_file: Path | None,
    to: tuple[str, ...],
    types: tuple[str, ...],
    description: str | None,
    environment: str | None,
    data: Path | None,
) -> Said:
    """A new endpoint, told what happens from now on. A webhook's secret is printed now and nowhere else, ever."""
    draft = EndpointDraft(kind, _url(url, url_file), to, types, description)
    with application(data) as app:
        made = app.messages.endpoints.create(host_in(app, environment), draft, _key())
    return shown(
        shown_new_endpoint(made.endpoint, made.secret), first=_KEPT_BY_YOU if made.secret is not None else ""
    )


@endpoint.command("show")
@click.argument("endpoint_id", metavar="ENDPOINT")
@_here
def show(endpoint_id: str, environment: str | None, data: Path | None) -> Said:
    """One of them, with where it is."""
    with application(data) as app:
        return shown(shown_whole_endpoint(*app.messages.see.one(host_in(app, environment), endpoint_id)))


@endpoint.command("rotate")
@click.argument("endpoint_id", metavar="ENDPOINT")
@click.option("--overlap-seconds", type=Whole(0, 7 * 24 * 3600), default=0, show_default=True, help="For how long messages are signed with the old secret, too.")  # fmt: skip
@_here
def rotate(endpoint_id: str, overlap_seconds: int, environment: str | None, data: Path | None) -> Said:
    """A new secret. It is printed now and nowhere else, ever."""
    with application(data) as app:
        made = app.messages.endpoints.rotate(
            host_in(app, environment), endpoint_id, timedelta(seconds=overlap_seconds), _key()
        )
    return shown(shown_new_endpoint(made.endpoint, made.secret), first=_KEPT_BY_YOU)


@endpoint.command("enable")
@click.argument("endpoint_id", metavar="ENDPOINT")
@_here
def enable(endpoint_id: str, environment: str | None, data: Path | None) -> Said:
    """Tell a disabled endpoint what happens from now on."""
    with application(data) as app:
        return shown(shown_endpoint(app.messages.endpoints.enable(host_in(app, environment), endpoint_id)))


@endpoint.command("delete")
@click.argument("endpoint_id", metavar="ENDPOINT")
@_here
def delete(endpoint_id: str, environment: str | None, data: Path | None) -> Said:
    """Tell it nothing more, and forget what opens it."""
    with application(data) as app:
        return shown(shown_endpoint(app.messages.endpoints.delete(host_in(app, environment), endpoint_id)))


@endpoint.command("test")
@click.argument("endpoint_id", metavar="ENDPOINT")
@_here
def test(endpoint_id: str, environment: str | None, data: Path | None) -> Said:
    """Send a message to this endpoint alone, as all messages are sent; `deliveries` shows what became of it."""
    with application(data) as app:
        caller = host_in(app, environment)
        return shown(shown_endpoint(app.messages.endpoints.test(caller, endpoint_id, _key())))


@endpoint.command("deliveries")
@click.argument("endpoint_id", metavar="ENDPOINT")
@click.option("--state", "states", type=OneOf(DeliveryState), multiple=True, help="Only in this state; may repeat.")  # fmt: skip
@click.option("--limit", type=Whole(1, 100), default=50, show_default=True, help="How many, newest first.")
@_here
def deliveries(
    endpoint_id: str,
    states: tuple[DeliveryState, ...],
    limit: int,
    environment: str | None,
    data: Path | None,
) -> Said:
    """What became of the messages to an endpoint, newest first."""
    with application(data) as app:
        found = app.messages.see.deliveries(
            host_in(app, environment), endpoint_id, DeliveryFilter(states), at_most=limit
        )
    return listed([shown_delivery(one) for one in found], _DELIVERY_COLUMNS, "none yet")


@endpoint.command("replay")
@click.argument("endpoint_id", metavar="ENDPOINT")
@click.argument("message_id", metavar="MESSAGE")
@_here
def replay(endpoint_id: str, message_id: str, environment: str | None, data: Path | None) -> Said:
    """Carry a message to an endpoint again, under the same message id."""
    with application(data) as app:
        caller = host_in(app, environment)
        app.messages.endpoints.replay(caller, endpoint_id, message_id, _key())
        return shown(shown_delivery(app.messages.see.delivery(caller, endpoint_id, message_id)))


def _url(url: str | None, url_file: Path | None) -> str | None:
    """The URL, from where nobody else can read it if that was asked for."""
    if url_file is None:
        return url
    if url is not None:
        raise click.UsageError("--url or --url-file, not both")
    try:
        text = sys.stdin.readline() if str(url_file) == "-" else url_file.read_text(encoding="ascii")
    except (OSError, ValueError):
        raise click.UsageError(f"{url_file} cannot be read") from None
    return text.strip()


def _key() -> str:
    """Each command is a deed of its own."""
    return f"cli-{secrets.token_hex(16)}"
