"""What a requester is asked for one refund, and how the answers become an intent."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Any

from governor.console.amounts import example, typed_amount
from governor.console.fields import Field, Form
from governor.console.words import REASONS
from governor.domain.admission import Ask
from governor.domain.errors import Invalid, invalid
from governor.domain.identity import canonical_case, is_charge, payment_id
from governor.domain.lifecycle import FINAL_STATES, State
from governor.domain.money import EXPONENTS
from governor.domain.requests import RefundRequest
from governor.usecases.look_at_payment import LookedAt

LONGEST_NOTE = 2000
_AFTER_THE_PATH = re.compile(r"[?#].*", re.DOTALL)


def last_of_address(text: str) -> str:
    """What an address ends in, which at the provider's pages is the name of what they show; any other text as it is."""
    return _AFTER_THE_PATH.sub("", text).rstrip("/").rpartition("/")[2]


def pasted_name(text: str) -> str:
    """What a payment is named by where somebody copied it: its id or its charge's, or an address that ends in one.

    Raises:
        Invalid: with what is accepted here.
    """
    name = last_of_address(text.strip())
    if is_charge(name):
        return name
    try:
        return payment_id(name)
    except Invalid:
        raise invalid(
            "/payment",
            "payment_malformed",
            "Paste the payment's id, which begins with pi_, or its charge's, which begins with ch_ or py_, or the"
            " address of its page at Stripe. A receipt or an e-mail address names no payment here; Stripe's"
            " search leads from them to its page.",
        ) from None


CHOOSE = Form(
    (
        Field(
            "payment",
            "Payment",
            "Its id (pi_…) or its charge's (ch_…), or the address of its page at Stripe.",
            at_most=300,
        ),
    )
)

ASK = Form(
    (
        Field("payment", "Payment", kind="hidden", read=payment_id),
        Field("amount", "Amount", kind="amount", missing="Type how much to refund."),
        Field(
            "reason",
            "Reason",
            "Stripe keeps it, too.",
            kind="select",
            options=tuple(REASONS.items()),
            optional=True,
        ),
        Field("case", "Case", "The ticket, like ZD-4711.", optional=True, read=canonical_case),
        Field(
            "note",
            "Note",
            "For whoever approves this. The customer does not see it.",
            kind="area",
            optional=True,
            at_most=LONGEST_NOTE,
        ),
        Field("duplicate_of", "It repeats", kind="hidden", optional=True),
        Field(
            "deliberate",
            "This is no mistake: the customer gets this amount a second time",
            "Say why in the note.",
            kind="checkbox",
            optional=True,
        ),
        Field("remaining", "Left when it was asked", kind="hidden", read=int, optional=True),
    )
)


def ask_form(currency: str) -> Form:
    """The questions about a refund in `currency`."""
    hint = f"In {currency.upper()}, like {example(EXPONENTS[currency])}."
    amount = replace(ASK.named("amount"), hint=hint, read=partial(typed_amount, currency=currency))
    return Form(tuple(amount if one.name == "amount" else one for one in ASK.fields))


def intent_of(values: dict[str, Any], payment: LookedAt) -> tuple[Ask, int | None]:
    """What is asked, and what was left of the payment when it was."""
    ask = Ask(
        payment=payment.facts.payment,
        amount_minor=values["amount"],
        currency=payment.facts.currency,
        reason=values["reason"],
        case=values["case"],
        note=values["note"],
        duplicate_of=values["duplicate_of"] if values["deliberate"] else None,
    )
    return ask, values["remaining"]


def asked_again(request: RefundRequest) -> dict[str, str] | None:
    """The answers of a request that came to nothing, to begin another one with; None where there is nothing to repeat."""
    if request.state not in FINAL_STATES - {State.SUCCEEDED, State.REVERSED}:
        return None
    told = {"payment": request.payment, "reason": request.reason, "case": request.case}
    return {name: text for name, text in told.items() if text}
