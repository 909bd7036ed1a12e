"""What the console's words and shortcuts mean."""

from __future__ import annotations

from flask import Response

from governor.console import words
from governor.console.page import EVERYONE, Page
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.lifecycle import State

SHORTCUTS = (
    ("/", "Go to the search box"),
    ("?", "Show this help"),
    ("j", "The next row of a list"),
    ("k", "The row before"),
)
SHORTCUTS_OF_HOLDS = (
    ("x", "In the list of holds: select the row, or not any more"),
    ("a", "On a hold: go to the decision; in the list: to that of the row, or of all that is selected"),
    ("r", "The same, to the reason for a no"),
    ("q", "The same, to the question that sends it back"),
    ("n", "On a hold: the next one that waits for you"),
    ("u", "On a hold that you have just approved: undo it"),
)


def _help(visit: Visit) -> Response:
    """Whoever only asks for refunds sees no hold, and is told of no shortcut there."""
    sees_holds = bool(visit.shell.roles - {Role.AGENT})
    return visit.show(
        "help.html",
        shortcuts=SHORTCUTS + SHORTCUTS_OF_HOLDS if sees_holds else SHORTCUTS,
        states=list(State),
        meanings=words.MEANINGS,
    )


PAGES = (Page("GET", "/help", _help, EVERYONE, "Help and shortcuts"),)
