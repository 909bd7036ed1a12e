"""`governor unknown`: the unknown desk, through the API with an operator's key."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import click

from governor.cli.caller import ApiCaller, api_caller, api_options
from governor.cli.options import OneOf, page_options, page_query
from governor.cli.saying import Group, Said, listed, page_said, shown
from governor.domain.canonical import digest
from governor.domain.resolutions import Ending

PATH = "/api/v1/unknown"

_COLUMNS = (
    "id",
    "state",
    "amount",
    "currency",
    "payment",
    "age_bucket",
    "key_remaining_seconds",
    "last_reason",
)


@click.group("unknown", cls=Group)
def unknown() -> None:
    """Refund requests in doubt. The key is read from GOVERNOR_KEY or --key-file."""


@unknown.command("list")
@page_options("the oldest")
@api_options
def list_(limit: int, after: str | None, url: str | None, key_file: Path | None, data: Path | None) -> Said:
    """What nobody knows yet, longest in doubt first, and what all of it adds up to."""
    query = urlencode(page_query(limit, after))
    with api_caller(url, key_file, data) as api:
        page = api.get(f"{PATH}?{query}")
    said = listed(page["data"], _COLUMNS, "nothing is in doubt")
    sums = listed(page["summary"], ("currency", "age_bucket", "count", "amount"), "")
    return page_said(page, said.text + (f"\n\n{sums.text}" if page["summary"] else ""))


@unknown.command("show")
@click.argument("request_id")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), help="Write the whole pack there, as JSON."
)
@api_options
def show(request_id: str, out: Path | None, url: str | None, key_file: Path | None, data: Path | None) -> Said:  # fmt: skip
    """The evidence pack of one request, with the payment's refunds at the provider as they are now."""
    with api_caller(url, key_file, data) as api:
        pack = _pack(api, request_id)
    if out is not None:
        out.write_text(json.dumps(pack, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
    return shown(pack)


@unknown.command("reconcile")
@click.argument("request_id")
@api_options
def reconcile(request_id: str, url: str | None, key_file: Path | None, data: Path | None) -> Said:
    """Read at the provider now. Nothing is sent."""
    with api_caller(url, key_file, data) as api:
        return shown(api.post(f"{_path(request_id)}/reconcile", {}))


@unknown.command("resolve")
@click.argument("request_id")
@click.argument("outcome", type=OneOf(Ending))
@click.option("--reason", required=True, help="How you know; kept with the resolution.")
@click.option("--yes", is_flag=True, help="Say it without being asked.")
@api_options
def resolve(request_id: str, outcome: Ending, reason: str, yes: bool, url: str | None, key_file: Path | None, data: Path | None) -> Said:  # fmt: skip
    """Say how it ended. Nothing moves until a second, different person says the same."""
    with api_caller(url, key_file, data) as api:
        pack = _pack(api, request_id)
        if not yes:
            if not sys.stdin.isatty():
                raise click.UsageError("say --yes to resolve without being asked")
            click.echo(shown(pack).text, err=True)
            click.confirm(f"it {outcome}?", abort=True, err=True)
        sent = {"outcome": outcome.value, "reason": reason}
        # Said twice of the same attempts, and with nothing else said in between, it is the same word: whoever repeats
        # it because its answer was lost says nothing new.
        said_else = sum(
            (one["outcome"], one["reason"]) != tuple(sent.values()) for one in pack["resolutions"]
        )
        bound = {**sent, "id": request_id, "attempts": pack["attempts"], "said_else": said_else}
        key = "cli-resolve-" + digest(bound).removeprefix("sha256:")[:40]
        said = api.post(f"{_path(request_id)}/resolutions", sent, key=key)
    first = "resolved" if said["completed"] else "a second person has to say the same"
    warned = "".join(f"\nwarning: {one['detail']}" for one in said["warnings"])
    return Said(said, shown(said["refund_request"], first=first + warned).text)


def _pack(api: ApiCaller, request_id: str) -> dict[str, Any]:
    pack: dict[str, Any] = api.get(_path(request_id))
    return pack


def _path(request_id: str) -> str:
    return f"{PATH}/{quote(request_id, safe='')}"
