"""`governor hold`: what waits for approval, and the decisions on it, through the API."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import click

from governor.cli.caller import api_caller, api_options
from governor.cli.decisions import PATH, Decision, decide, decision_options, read_hold, send_decision
from governor.cli.options import OneOf, Whole, page_options, page_query
from governor.cli.saying import Group, Said, listed, page_said, shown
from governor.domain.approval import Choice
from governor.domain.quorum import Need, in_words


@click.group("hold", cls=Group)
def hold() -> None:
    """Holds that wait for people. The key is read from GOVERNOR_KEY or --key-file."""


@hold.command("list")
@page_options("the newest")
@api_options
def list_(limit: int, after: str | None, url: str | None, key_file: Path | None, data: Path | None) -> Said:
    """What waits for approval."""
    query = urlencode(page_query(limit, after))
    with api_caller(url, key_file, data) as api:
        page = api.get(f"{PATH}?{query}")
    told = [one | {"still_asked": in_words(_needs(one))} for one in page["data"]]
    said = listed(told, ("id", "refund_request", "approvals", "still_asked", "expires_at"), "nothing waits")
    return page_said(page, said.text)


def _needs(hold: Mapping[str, Any]) -> list[Need]:
    return [Need(one["people"], one["approvers"], one["asked_by"]) for one in hold["still_asked"]]


@hold.command("show")
@click.argument("hold_id")
@api_options
def show(hold_id: str, url: str | None, key_file: Path | None, data: Path | None) -> Said:
    """One hold: exactly what a decision on it is bound to."""
    with api_caller(url, key_file, data) as api:
        return shown(read_hold(api, hold_id))


@hold.command("decide")
@click.argument("hold_id")
@click.argument("choice", type=OneOf(Choice))
@click.option("--digest", help="Decide only what this digest names (hold show); needs --version.")
@click.option("--version", type=Whole(1))
@click.option("--amount", type=Whole(1), help="How much approve_less approves, in minor units.")
@decision_options
@api_options
def decide_(hold_id: str, choice: Choice, digest: str | None, version: int | None, amount: int | None, yes: bool, reason: str | None, url: str | None, key_file: Path | None, data: Path | None) -> Said:  # fmt: skip
    """Approve a hold or less of it, return it with a question (--reason), or reject it. Exit 1 when it is no longer what was shown."""
    if (digest is None) != (version is None):
        raise click.UsageError("--digest and --version name one thing together")
    decision = Decision(choice, reason, amount)
    with api_caller(url, key_file, data) as api:
        if digest is not None and version is not None:
            return send_decision(api, hold_id, decision, digest, version)
        return decide(api, hold_id, decision, yes=yes)
