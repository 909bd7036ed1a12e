"""The form of an environment's settings: its questions, and how their answers are read and spelled."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from governor.console.amounts import bounds_text, typed_bounds
from governor.console.fields import Field, Form
from governor.console.steer.spans import approval_span, span_words
from governor.domain.environments import (
    LEAST_RATE,
    MOST_RATE,
    MOST_UNDO_SECONDS,
    Environment,
    Mode,
)
from governor.domain.late_limits import LateLimits
from governor.usecases.change_environment import EnvironmentDraft

_WHOLE = re.compile(r"[0-9]{1,5}", re.ASCII)
MODES = {
    Mode.ENFORCE: "Enforce: what does not fit is denied or waits for people",
    Mode.OBSERVE: "Observe: everything is decided and recorded, and nothing is blocked",
}
SWITCHES = {
    "raises_need_two": "A limit that allows more, and the end of one, take two people",
    "reasons_required": "Whoever changes a limit says why",
    "expiry_notices": "The endpoints are told before a request expires undecided",
}
BOUNDS = {
    "prove_above": "Above how much an approval in the console takes a fresh proof of who it is",
    "type_above": "Above how much the amount has to be typed to approve it in the console",
}
LATE = {
    LateLimits.HOLD: "It waits, with its capacity, until there is room",
    LateLimits.REFUSE: "It is refused, and its capacity is free",
}


def _whole(text: str, least: int, most: int) -> int:
    if not _WHOLE.fullmatch(text) or not least <= int(text) <= most:
        raise ValueError(f"Type a whole number from {least} to {most}.")
    return int(text)


_BOUNDS_HINT = "Like 500.00 usd, 400.00 eur; never when empty. Once one currency is named, any amount of the others is above."
EDIT = Form(
    (
        Field(
            "mode",
            "Mode",
            kind="radios",
            options=tuple((mode.value, words) for mode, words in MODES.items()),
            read=Mode,
        ),
        Field(
            "approval",
            "How long a request waits for its approvers",
            "Like 8 hours or 2 days. It counts for what is asked from now on.",
            read=approval_span,
        ),
        Field(
            "late_limits",
            "What becomes of a request that waits to be sent when a later limit has no room for it",
            kind="radios",
            options=tuple((late.value, words) for late, words in LATE.items()),
            read=LateLimits,
        ),
        *(Field(name, words, kind="checkbox", optional=True) for name, words in SWITCHES.items()),
        *(
            Field(name, words, _BOUNDS_HINT, optional=True, read=typed_bounds)
            for name, words in BOUNDS.items()
        ),
        Field(
            "undo",
            "For how many seconds an approval in the console can be undone before it is sent",
            f"From 0 to {MOST_UNDO_SECONDS}. With 0 it is sent at once.",
            read=partial(_whole, least=0, most=MOST_UNDO_SECONDS),
        ),
        Field(
            "rate",
            "Calls to Stripe a second, at most",
            f"From {LEAST_RATE} to {MOST_RATE}. Stripe's own limit for tests is 25.",
            read=partial(_whole, least=LEAST_RATE, most=MOST_RATE),
        ),
        Field("revision", "Revision", kind="hidden", read=int),
    )
)


def start_of(here: Environment) -> dict[str, str]:
    """The settings as they stand, as somebody would type them."""
    return {
        "mode": here.mode.value,
        "approval": span_words(here.approval_seconds),
        "late_limits": here.late_limits.value,
        "undo": str(here.undo_seconds),
        "rate": str(here.rate_per_second),
        **{name: "yes" for name in SWITCHES if getattr(here, name)},
        **{name: bounds_text(getattr(here, name)) for name in BOUNDS},
        "revision": str(here.revision),
    }


def draft_of(here: Environment, values: dict[str, Any]) -> EnvironmentDraft:
    """The settings as they stand, with what was answered."""
    kept = {name: getattr(here, name) for name in EnvironmentDraft.__dataclass_fields__}
    chosen = {
        "mode": values["mode"],
        "approval_seconds": values["approval"],
        "late_limits": values["late_limits"],
        "undo_seconds": values["undo"],
        "rate_per_second": values["rate"],
        **{name: values[name] is not None for name in SWITCHES},
        **{name: values[name] or {} for name in BOUNDS},
    }
    return EnvironmentDraft(**kept | chosen)


def changes_between(here: Environment, draft: EnvironmentDraft) -> list[tuple[str, str, str]]:
    """Name, before, after, of what differs."""
    every = [
        ("Mode", MODES[here.mode], MODES[draft.mode]),
        (
            "How long a request waits for its approvers",
            span_words(here.approval_seconds),
            span_words(draft.approval_seconds),
        ),
        ("A later limit without room for what waits", LATE[here.late_limits], LATE[draft.late_limits]),
        *((words, said(here, name), said(draft, name)) for name, words in (SWITCHES | BOUNDS).items()),
        ("Time to undo an approval", f"{here.undo_seconds} seconds", f"{draft.undo_seconds} seconds"),
        ("Calls a second", str(here.rate_per_second), str(draft.rate_per_second)),
    ]
    return [one for one in every if one[1] != one[2]]


def said(of: Environment | EnvironmentDraft, name: str) -> str:
    """What stands for a switch, or for amounts by currency, in words."""
    stands = getattr(of, name)
    if name in BOUNDS:
        return bounds_text(stands) or "never"
    return "yes" if stands else "no"
