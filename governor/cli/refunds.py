"""`governor refund`: refund requests through the API, as the caller whose key it is."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import click

from adapters.ids import TypeIds
from governor.cli.caller import ApiCaller, api_caller, api_options
from governor.cli.decisions import Decision, decide, decision_options
from governor.cli.options import AmountOrRest, Currency, Decorated, OneOf, Whole, page_options, page_query
from governor.cli.saying import Group, Said, listed, page_said, shown
from governor.domain.canonical import digest
from governor.domain.lifecycle import State

PATH = "/api/v1/refund-requests"


@click.group("refund", cls=Group)
def refund() -> None:
    """Refund requests. The key is read from GOVERNOR_KEY or --key-file."""


def _ask_options(command: Decorated) -> Decorated:
    """What a refund request consists of."""
    for option in (
        click.option("--duplicate-of", help="The request that this one repeats on purpose; humans only, with a note."),
        click.option("--expected-refundable", type=Whole(), help="Refuse unless exactly this is refundable. Minor units."),
        click.option("--note", help="Why, in words."),
        click.option("--case", help="The support case."),
        click.option("--reason", type=click.Choice(["duplicate", "fraudulent", "requested_by_customer"])),
        click.option("--currency", type=Currency(), required=True),
        click.option("--amount", type=AmountOrRest(1), required=True, help="Minor units (1500 is $15.00), or `remaining`."),
        click.option("--payment", required=True, help="The payment intent: pi_…"),
    ):  # fmt: skip
        command = option(command)
    return command


@refund.command("request")
@_ask_options
@click.option("--operation-key", help="Your key of this intent; made of what is asked when not given.")
@click.option("--wait", type=Whole(0, 25), default=0, help="Seconds to wait for the end.")
@api_options
def request(operation_key: str | None, wait: int, url: str | None, key_file: Path | None, data: Path | None, **asked: Any) -> Said:  # fmt: skip  # noqa: ANN401  JSON values are any
    """Ask for a refund. Exit 0: admitted, 1: denied or refused, 4: nothing was decided.

    Asked twice in the same words it is one intent and one refund; another one needs an --operation-key of its own.
    """
    sent = _sent(asked)
    key = operation_key or "cli-" + digest(sent).removeprefix("sha256:")[:40]
    with api_caller(url, key_file, data) as api:
        return shown(api.post(PATH, sent, key=key, wait_seconds=wait))


@refund.command("preview")
@_ask_options
@api_options
def preview(url: str | None, key_file: Path | None, data: Path | None, **asked: Any) -> Said:  # noqa: ANN401  JSON values are any
    """The verdict it would get now. Nothing is booked, and it is no promise. Exit 1 when it would be denied."""
    with api_caller(url, key_file, data) as api:
        verdict = api.post(f"{PATH}/preview", _sent(asked))
    return shown(verdict, exit_code=1 if verdict["denial"] else 0)


def _sent(asked: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if value is not None}


@refund.command("get")
@click.argument("request_id")
@click.option("--timeline", is_flag=True, help="With everything that was learnt from the provider.")
@api_options
def get(request_id: str, timeline: bool, url: str | None, key_file: Path | None, data: Path | None) -> Said:
    """One refund request."""
    with api_caller(url, key_file, data) as api:
        return shown(api.get(_path(request_id) + ("?expand=timeline" if timeline else "")))


@refund.command("list")
@click.option("--state", type=OneOf(State), multiple=True)
@click.option("--payment", multiple=True)
@click.option("--case", multiple=True)
@click.option("--customer", multiple=True)
@page_options("the newest")
@api_options
def list_(limit: int, after: str | None, url: str | None, key_file: Path | None, data: Path | None, **filters: tuple[str, ...]) -> Said:  # fmt: skip
    """Refund requests, newest first. A filter may repeat and then means any of its values."""
    query = [(name, str(value)) for name, values in filters.items() for value in values]
    query += page_query(limit, after)
    with api_caller(url, key_file, data) as api:
        page = api.get(f"{PATH}?{urlencode(query)}")
    columns = ("id", "state", "amount", "currency", "payment", "money_moved", "created_at")
    said = listed(page["data"], columns, "none")
    return page_said(page, said.text)


@refund.command("cancel")
@click.argument("request_id")
@api_options
def cancel(request_id: str, url: str | None, key_file: Path | None, data: Path | None) -> Said:
    """Stop it before it is sent; afterwards this is a recorded wish, and the capacity stays held."""
    with api_caller(url, key_file, data) as api:
        # Said twice, it is the same wish.
        return shown(api.post(f"{_path(request_id)}/cancel", {}, key=f"cli-cancel-{request_id}"))


@refund.command("approve")
@click.argument("request_id")
@decision_options
@api_options
def approve(request_id: str, yes: bool, reason: str | None, url: str | None, key_file: Path | None, data: Path | None) -> Said:  # fmt: skip
    """Approve the hold of a request, as it is shown now."""
    with api_caller(url, key_file, data) as api:
        return decide(api, _hold(api, request_id), Decision("approve", reason), yes=yes)


@refund.command("reject")
@click.argument("request_id")
@decision_options
@api_options
def reject(request_id: str, yes: bool, reason: str | None, url: str | None, key_file: Path | None, data: Path | None) -> Said:  # fmt: skip
    """Reject the hold of a request, as it is shown now."""
    with api_caller(url, key_file, data) as api:
        return decide(api, _hold(api, request_id), Decision("reject", reason), yes=yes)


@refund.command("answer")
@click.argument("request_id")
@click.argument("text")
@api_options
def answer(request_id: str, text: str, url: str | None, key_file: Path | None, data: Path | None) -> Said:
    """Answer the question with which an approver has returned your request."""
    with api_caller(url, key_file, data) as api:
        # The same words to the same question are one answer; once it is answered, that is what is said.
        asked = sha256(f"{api.get(_path(request_id))['question']}\n{text}".encode()).hexdigest()
        return shown(api.post(f"{_path(request_id)}/answers", {"text": text}, key=f"cli-answer-{asked}"))


@refund.command("nudge")
@click.argument("request_id")
@api_options
def nudge(request_id: str, url: str | None, key_file: Path | None, data: Path | None) -> Said:
    """Remind the approvers of your request, at most once an hour."""
    with api_caller(url, key_file, data) as api:
        # Each run is a reminder of its own: the hour between two is counted where they arrive.
        return shown(api.post(f"{_path(request_id)}/nudge", {}, key=TypeIds().new("cli")))


def _hold(api: ApiCaller, request_id: str) -> str:
    hold = api.get(_path(request_id))["hold"]
    if hold is None:
        raise click.UsageError("the request was denied: there is nothing to decide")
    return str(hold)


def _path(request_id: str) -> str:
    return f"{PATH}/{quote(request_id, safe='')}"
