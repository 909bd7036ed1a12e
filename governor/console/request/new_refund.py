"""Asking for a refund: choose the payment, say how much and why, look at the verdict, send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flask import Response

from governor.console.fields import Filled
from governor.console.page import Group, Page
from governor.console.request.asking import ASK, CHOOSE, ask_form, intent_of, pasted_name
from governor.console.verdict import ToldVerdict, verdict_of
from governor.console.visit import Visit
from governor.domain.admission import Denial
from governor.domain.credentials import Role
from governor.domain.errors import GovernorError, Invalid
from governor.domain.identity import is_charge, payment_id
from governor.domain.money import Money, decimal_text, smallest_step
from governor.usecases.look_at_payment import LookedAt

ADDRESS = "/refunds/new"
_ASKERS = (Role.AGENT,)


def _start(visit: Visit) -> Response:
    """Which payment, and then what about it. The answers of an earlier request can be given along."""
    pasted = visit.one("payment", str) or ""
    if not pasted:
        return visit.show("new_refund/choose.html", form=visit.form(CHOOSE))
    try:
        payment = _named(visit, pasted_name(pasted))
    except GovernorError as refusal:
        form = visit.form(CHOOSE, start={"payment": pasted}).refused(refusal)
        return visit.show("new_refund/choose.html", status=422, form=form)
    given = {name: visit.one(name, str) or "" for name in ("amount", "reason", "case")}
    start = {
        **{name: text for name, text in given.items() if text},
        "payment": payment.facts.payment,
        "remaining": str(payment.remaining_minor),
    }
    return _shown(visit, visit.form(ask_form(payment.facts.currency), start=start), payment)


def _named(visit: Visit, name: str) -> LookedAt:
    look = visit.use.look_at_payment
    return look.of_charge(visit.caller, name) if is_charge(name) else look(visit.caller, name)


def _ask(visit: Visit) -> Response:
    """Look at the verdict first; the second time it is asked for."""
    filled = visit.form()
    payment = visit.use.look_at_payment(visit.caller, payment_id(filled.of("payment")))
    filled = replace(filled, form=ask_form(payment.facts.currency))
    if filled.checked == "no":
        return _shown(visit, filled, payment)
    try:
        ask, remaining = intent_of(filled.read(), payment)
        if filled.checked == "yes":
            answer = visit.use.request_refund(visit.caller, ask, filled.once, remaining)
            return visit.go(f"/refund-requests/{answer.request.id}")
        verdict = verdict_of(visit.use.request_refund.preview(visit.caller, ask, remaining), ask.currency)
    except GovernorError as refusal:
        return _shown(visit, _looked_at_anew(filled.refused(refusal), payment), payment, status=422)
    if verdict.denial is Denial.POSSIBLE_DUPLICATE:
        filled = _typed(filled, duplicate_of=verdict.duplicate_of or "")
    if verdict.denial is not None:
        return _shown(visit, filled, payment, verdict=verdict, status=422)
    return visit.show(
        "new_refund/check.html",
        form=filled,
        payment=payment,
        verdict=verdict,
        ask=ask,
        title="Check the refund",
    )


def _verdict(visit: Visit) -> Response:
    """The verdict while somebody types: nothing is asked for, and nothing around it changes.

    What is not typed to its end is no fault yet, and says nothing; what would be refused however it is typed, says so.
    """
    filled = visit.form(ASK)
    payment = visit.use.look_at_payment(visit.caller, payment_id(filled.of("payment")))
    filled = replace(filled, form=ask_form(payment.facts.currency))
    try:
        ask, _ = intent_of(filled.read(), payment)
        verdict = verdict_of(visit.use.request_refund.preview(visit.caller, ask, None), ask.currency)
    except Invalid:
        return visit.show("new_refund/verdict.html", verdict=None, refusal=None)
    except GovernorError as refusal:
        return visit.show("new_refund/verdict.html", verdict=None, refusal=refusal.detail)
    return visit.show("new_refund/verdict.html", verdict=verdict, refusal=None)


def _shown(
    visit: Visit, filled: Filled, payment: LookedAt, *, verdict: ToldVerdict | None = None, status: int = 200
) -> Response:
    return visit.show(
        "new_refund/ask.html",
        status=status,
        form=filled,
        payment=payment,
        verdict=verdict,
        chips=_chips(visit, payment),
    )


def _chips(visit: Visit, payment: LookedAt) -> list[tuple[str, str, str]]:
    """Amounts that are often meant: what they are called, as they are typed, and where they are without a script."""
    currency, left = payment.facts.currency, payment.remaining_minor
    half = left // 2 - left // 2 % smallest_step(currency)
    whole = "The whole payment" if left == payment.facts.captured_minor else "All that is left"
    fits = visit.use.queries.allowance(visit.caller, payment.facts.payment, currency).amount_minor
    fits -= fits % smallest_step(currency)
    meant = [(whole, left), ("Half of it", half), ("What fits now", fits if fits < left else 0)]
    texts = [(words, decimal_text(Money(minor, currency))) for words, minor in meant if minor]
    given = {"payment": payment.facts.payment}
    return [(words, text, visit.address(ADDRESS, **given, amount=text)) for words, text in texts]


def _typed(filled: Filled, **fields: str) -> Filled:
    typed: Mapping[str, tuple[str, ...]] = {name: (text,) for name, text in fields.items()}
    return replace(filled, typed={**filled.typed, **typed})


def _looked_at_anew(filled: Filled, payment: LookedAt) -> Filled:
    """Whoever sends the form again has seen what is left now."""
    return _typed(filled, remaining=str(payment.remaining_minor))


PAGES = (
    Page(
        "GET",
        ADDRESS,
        _start,
        _ASKERS,
        "New refund",
        query=("payment", "amount", "reason", "case"),
        group=Group.REFUNDS,
        label="New refund",
        form=ASK,
        home_of=_ASKERS,
    ),
    Page("POST", ADDRESS, _ask, _ASKERS, "New refund", form=ASK),
    Page("POST", f"{ADDRESS}/verdict", _verdict, _ASKERS, "Verdict"),
)
