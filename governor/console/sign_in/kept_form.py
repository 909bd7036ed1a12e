"""A form that could not be taken yet: it waits in the page that asks who somebody is, and is sent again from there."""

from __future__ import annotations

import json
from dataclasses import dataclass

from flask import Request, Response

from governor.console.fields import RESUMED, malformed
from governor.console.own_paths import HOME, own_path
from governor.console.page import Page
from governor.console.rendering import bare, drawn, page_of
from governor.console.sent_form import sent_fields

KEPT = "kept"
"""The hidden field that carries it."""


@dataclass(frozen=True)
class Kept:
    """Where a form was sent to, and what was typed."""

    to: str
    fields: tuple[tuple[str, str], ...]

    def spelled(self) -> str:
        """As a hidden field carries it."""
        return json.dumps({"to": self.to, "fields": self.fields})


def kept_of(sent: Request, page: Page) -> Kept:
    """The form that was sent to a page, without what is never sent back.

    Raises:
        Malformed: it is none.
    """
    secrets = page.form.secrets if page.form is not None else frozenset()
    typed = sent_fields(sent).items()
    fields = tuple((name, value) for name, values in typed if name not in secrets for value in values)
    return Kept(sent.path, fields)


def read_kept(text: str | None) -> Kept | None:
    """The form that a page carried along; None when there is none, or it is for no page of ours.

    Raises:
        Malformed: it cannot be read.
    """
    if not text:
        return None
    try:
        said = json.loads(text)
        fields = tuple((str(name), str(value)) for name, value in said["fields"])
        to = str(said["to"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise malformed() from error
    return Kept(to, tuple(one for one in fields if one[0] != RESUMED)) if own_path(to) != HOME else None


def resume_page(sent: Request, kept: Kept, *, only_show: bool) -> Response:
    """A page that sends the kept form once more: to be looked at again (`only_show`), or to be done now."""
    fields = (*kept.fields, (RESUMED, "yes")) if only_show else kept.fields
    facts = {"to": kept.to, "fields": fields, "only_show": only_show}
    return page_of(drawn("doors/resume.html", facts | bare(sent)))


def is_resumed(sent: Request) -> bool:
    """Whether a form comes from the page after signing in again."""
    return RESUMED in sent_fields(sent)
