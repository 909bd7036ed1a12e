"""Whom or what do limits leave how much: every limit that counts a refund of one subject, and where its cap comes from."""

from __future__ import annotations

from flask import Response

from governor.console.fields import Field, Form
from governor.console.page import Page
from governor.console.steer import limit_words
from governor.console.steer.limits import LIMITS, OVERSEERS
from governor.console.visit import Visit
from governor.domain.errors import Refused
from governor.domain.identity import canonical_case, customer_id, payment_id
from governor.domain.requests import shown_limits
from governor.usecases.limits_in_effect import About, InCurrency, InEffect

ADDRESS = f"{LIMITS}/in-effect"
_ABOUT = Form(
    (
        Field("payment", "Payment", "Like pi_3Q…", optional=True, read=payment_id),
        Field("customer", "Customer", "Like cus_9s…", optional=True, read=customer_id),
        Field("credential", "Key", "Like cred_01…", optional=True, at_most=128),
        Field("agent", "Agent", "Like bot-7.", optional=True, at_most=128),
        Field("case", "Case", "Like ZD-4711.", optional=True, read=canonical_case),
    )
)
_NAMES = tuple(one.name for one in _ABOUT.fields)


def _look(visit: Visit) -> Response:
    """The questions are a filter: an address that answers them leads here from whatever they are about."""
    typed = {name: visit.one(name, str) or "" for name in _NAMES}
    filled = visit.form_beside(_ABOUT, start=typed)
    try:
        about = About(**filled.read())
        found = visit.use.limit_board.in_effect(visit.caller, about)
    except Refused as refusal:
        return visit.show_again("limits/in_effect.html", filled, refusal, found=None)
    return visit.show(
        "limits/in_effect.html",
        form=filled,
        found=found,
        tables=tables_of(found),
        say=limit_words,
    )


def tables_of(found: InEffect) -> list[tuple[InCurrency, list[tuple[dict[str, object], str, bool]]]]:
    """What counts the subject in each currency, as limits/lines.html draws it."""
    return [(one, _rows(one)) for one in found.currencies]


def _rows(of: InCurrency) -> list[tuple[dict[str, object], str, bool]]:
    """Each line as decisions show it, where its cap comes from, and whether it is the narrowest; the widest scope first."""
    scopes = list(limit_words.SCOPES)
    ordered = sorted(of.lines, key=lambda both: (scopes.index(both[0].charge.limit.scope), both[1].above))
    return [
        (shown_limits((line,))[0], limit_words.origin(line, origin), line is of.narrowest)
        for line, origin in ordered
    ]


PAGES = (Page("GET", ADDRESS, _look, OVERSEERS, "Limits in effect", query=_NAMES),)
