"""Drawing pages: one Jinja environment in which everything is escaped and nothing may be missing."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from flask import Request, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from governor.console import action_words, payment_words, words
from governor.console.action_words import CHOICES
from governor.console.assets import ASSETS
from governor.console.free_text import pieces
from governor.console.look import COOKIE, look_of
from governor.console.words import spaced
from governor.domain.approval import Choice
from governor.domain.lifecycle import EFFECT, State, task
from governor.domain.money import Money
from governor.domain.quorum import in_words
from governor.domain.trail import Fault
from governor.http.money_display import amount_display

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self';"
    " form-action 'self'; frame-ancestors 'none'; base-uri 'none'; require-trusted-types-for 'script';"
    " trusted-types default"
)
"""Bootstrap draws its marks as data images. Nothing inline runs or styles, and nothing comes from elsewhere."""

PAGE_HEADERS: Mapping[str, str] = {
    "Content-Security-Policy": POLICY,
    # `no-referrer` would make browsers send `Origin: null` with our own forms (Fetch, "append a request Origin").
    "Referrer-Policy": "same-origin",
}


def _asset(name: str) -> str:
    return ASSETS[name].address


def _amount(minor: int, currency: str) -> str:
    return amount_display(Money(minor, currency))


def _effect(state: str) -> tuple[str, str]:
    return words.EFFECTS[EFFECT[State(state)]]


def _task(state: str, cancel_requested_at: datetime | None) -> tuple[str, str]:
    return words.TASKS[task(State(state), cancel_requested=cancel_requested_at is not None)]


def _state(state: str) -> tuple[str, str]:
    return words.STATES[State(state)]


def _choice(choice: str) -> tuple[str, str]:
    return CHOICES[Choice(choice)]


def _meaning(state: str) -> str:
    return words.MEANINGS[State(state)]


def _run(state: str) -> tuple[str, str]:
    return words.RUNS[state]


def _fault(code: str) -> str:
    return words.FAULTS[Fault(code)]


def _waits_for(state: str) -> str:
    return words.WAITS_FOR.get(State(state), "nobody")


def _attributes(given: Mapping[str, str]) -> Markup:
    """Attributes of our own naming, with escaped values."""
    return Markup("").join(Markup(' {}="{}"').format(Markup(name), value) for name, value in given.items())  # noqa: S704 - names are written in our own code


JINJA = Environment(
    loader=PackageLoader("governor.console"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
JINJA.globals.update(asset=_asset)
JINJA.filters.update(
    pieces=pieces,
    ago=words.ago,
    day=words.day,
    lately=words.lately,
    lasting=words.lasting,
    utc=words.utc,
    span=words.span,
    seconds=words.seconds,
    instant=datetime.fromisoformat,
    spaced=spaced,
    reason_words=words.reason,
    state_words=_state,
    choice_words=_choice,
    asked=in_words,
    state_meaning=_meaning,
    waits_for=_waits_for,
    run_words=_run,
    fault_words=_fault,
    action_words=action_words.action,
    message_words=words.message,
    effect_words=_effect,
    task_words=_task,
    attributes=_attributes,
    back_to=payment_words.back_to,
    method_words=payment_words.method_words,
    refunds_by=payment_words.refunds_by,
)
JINJA.globals.update(amount=_amount)


def drawn(template: str, facts: Mapping[str, Any]) -> str:
    """A template with its facts; one that is missing is an error, and no blank."""
    return JINJA.get_template(template).render(**facts)


def page_of(html: str, status: int = 200) -> Response:
    """A page as an answer."""
    return Response(html, status, headers=dict(PAGE_HEADERS), mimetype="text/html")


def onward(address: str) -> Response:
    """On to another address of the console, by GET whatever was sent."""
    return Response(status=303, headers={"Location": address})


def bare(sent: Request) -> dict[str, Any]:
    """What a page needs that stands in no environment."""
    return {"look": look_of(sent.cookies.get(COOKIE)), "here": sent.full_path.rstrip("?")}
