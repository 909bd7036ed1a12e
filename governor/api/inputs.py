"""What callers may send, field by field. Unknown fields are refused: a misspelt `amuont` must not refund all."""

from __future__ import annotations

import re
from typing import Annotated, Any, Literal

from pydantic import (
    AwareDatetime,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    StrictBool,
    StrictInt,
    StringConstraints,
    ValidationError,
    WithJsonSchema,
)
from pydantic_core import PydanticCustomError

from governor.domain.admission import Ask
from governor.domain.approval import Ballot, Choice
from governor.domain.environments import (
    LEAST_APPROVAL_SECONDS,
    LEAST_RATE,
    MOST_APPROVAL_SECONDS,
    MOST_RATE,
    MOST_UNDO_SECONDS,
    Mode,
)
from governor.domain.errors import FieldError, Invalid, Malformed, invalid
from governor.domain.identity import canonical_case, operation_key, payment_id
from governor.domain.late_limits import LateLimits
from governor.domain.limits import Measure
from governor.domain.money import EXPONENTS, MAX_CAP, MAX_MINOR, refundable_amount
from governor.domain.resolutions import Ending
from governor.domain.windows import MAX_ROLLING_DAYS, WindowKind


class Input(BaseModel):
    """A JSON object with exactly these members, in exactly these types."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def _amount(value: Any) -> int | str:  # noqa: ANN401  whatever JSON has
    """An integer or "remaining"; the range depends on the currency and is the domain's."""
    if value == "remaining" or type(value) is int:
        checked: int | str = value
        return checked
    raise PydanticCustomError("amount_malformed", 'An integer of minor units, or "remaining".')


Amount = Annotated[
    int | str,
    PlainValidator(_amount),
    WithJsonSchema(
        {"oneOf": [{"type": "integer", "minimum": 1, "maximum": MAX_MINOR}, {"const": "remaining"}]}
    ),
]
_RFC3339 = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(?:\.[0-9]{1,6})?(?:Z|[+-][0-9]{2}:[0-9]{2})")


def _instant(value: Any) -> str:  # noqa: ANN401  whatever JSON has
    """RFC 3339 with a zone and nothing else: numbers and bare dates mean different things to different readers."""
    if isinstance(value, str) and _RFC3339.fullmatch(value):
        return value
    raise PydanticCustomError("time_malformed", "A time is RFC 3339 with a zone.")


Instant = Annotated[AwareDatetime, BeforeValidator(_instant)]
RefundRequestId = Annotated[str, StringConstraints(pattern=r"^rr_[0-9a-z]{26}$")]
Text = Annotated[str, StringConstraints(max_length=2000)]
Word = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,128}$")]
Bounds = dict[str, Annotated[StrictInt, Field(ge=0, le=MAX_CAP)]]
"""Amounts in minor units by currency, none of which is exceeded."""
Digest = Annotated[str, StringConstraints(pattern=r"^sha256:[0-9a-f]{64}$")]


class RefundRequestIn(Input):
    """One intent to refund one payment."""

    payment: str
    amount: Amount
    currency: str
    reason: Literal["duplicate", "fraudulent", "requested_by_customer"] | None = None
    case: str | None = None
    note: Text | None = None
    expected_refundable: Annotated[StrictInt, Field(ge=0, le=MAX_MINOR)] | None = None
    duplicate_of: RefundRequestId | None = None

    def ask(self) -> Ask:
        """What is asked, in canonical values.

        Raises:
            Invalid: a field that the domain cannot use.
        """
        if self.currency not in EXPONENTS:
            raise invalid("/currency", "currency_unknown", "The currency is not one that Stripe refunds in.")
        return Ask(
            payment=payment_id(self.payment),
            amount_minor=refundable_amount(self.amount, self.currency).minor
            if isinstance(self.amount, int)
            else None,
            currency=self.currency,
            reason=self.reason,
            case=None if self.case is None else canonical_case(self.case),
            note=self.note,
            duplicate_of=self.duplicate_of,
        )


class BatchLineIn(RefundRequestIn):
    """One line of a batch, with the operation key that an `Idempotency-Key` header would carry."""

    operation_key: str

    def key(self) -> str:
        """The line's own key.

        Raises:
            Invalid: it is no operation key.
        """
        try:
            return operation_key(self.operation_key)
        except Malformed as error:
            raise invalid("/operation_key", "operation_key_malformed", error.detail) from error


class BatchIn(Input):
    """Up to 500 lines. Each is judged by itself, so what is wrong with one is that one's answer."""

    lines: Annotated[
        list[dict[str, Any]],
        Field(min_length=1),
        WithJsonSchema(
            {
                "type": "array",
                "minItems": 1,
                "maxItems": 500,
                "items": {"$ref": "#/components/schemas/BatchLineIn"},
            }
        ),
    ]


class DecisionIn(Input):
    """One approver's decision, bound by digest and version to what they were shown."""

    decision: Choice
    digest: Digest
    version: Annotated[StrictInt, Field(ge=1, le=MAX_CAP)]
    amount: Annotated[StrictInt, Field(ge=1, le=MAX_MINOR)] | None = None
    reason: Text | None = None

    def ballot(self) -> Ballot:
        """The decision as the domain knows it; what is missing from it, or too much, is the domain's to say."""
        return Ballot(self.decision, self.digest, self.version, self.reason, self.amount)


class AnswerIn(Input):
    """What whoever asked for a refund answers to the question of an approver."""

    text: Annotated[Text, Field(min_length=1)]


class ResolutionIn(Input):
    """How one person says that a request in doubt ended, and why they know."""

    outcome: Ending
    reason: Annotated[Text, Field(min_length=1)]


class NothingIn(Input):
    """An empty object: the request says everything by its path."""


class CapIn(Input):
    """What a cap says by itself, whosever it is."""

    measure: Measure
    currency: str | None = None
    window: WindowKind
    window_days: Annotated[StrictInt, Field(ge=1, le=MAX_ROLLING_DAYS)] | None = None
    time_zone: Word = "UTC"
    cap: Annotated[StrictInt, Field(ge=0, le=MAX_CAP)]
    approval_above: Annotated[StrictInt, Field(ge=0, le=MAX_CAP)] | None = None


class AcknowledgementIn(Input):
    """Why provider writes may go on."""

    reason: Annotated[Text, Field(min_length=1)]


class EnvironmentIn(Input):
    """The settings of the caller's environment that an operator may change. What may be left out stays.

    `prove_above`, `type_above`: above how much, in minor units by currency, an approval in the console takes a fresh
    proof of who it is, or the amount typed. `{}`: never. Once a currency is named, one that is not counts from 0.
    `undo_seconds`: for how long such an approval can be undone before it is sent.
    """

    mode: Mode
    rate_per_second: Annotated[StrictInt, Field(ge=LEAST_RATE, le=MOST_RATE)]
    approval_seconds: Annotated[StrictInt, Field(ge=LEAST_APPROVAL_SECONDS, le=MOST_APPROVAL_SECONDS)]
    late_limits: LateLimits | None = None
    expiry_notices: StrictBool | None = None
    raises_need_two: StrictBool | None = None
    reasons_required: StrictBool | None = None
    prove_above: Bounds | None = None
    type_above: Bounds | None = None
    undo_seconds: Annotated[StrictInt, Field(ge=0, le=MOST_UNDO_SECONDS)] | None = None


_CODES = {"missing": "field_missing", "extra_forbidden": "field_unknown"}


def refusal(error: ValidationError) -> Invalid:
    """Everything that is wrong with an input, without a word of what it said."""
    errors = tuple(
        FieldError(
            _pointer(one["loc"], hidden=one["type"] == "extra_forbidden"),
            _CODES.get(one["type"], one["type"] if one["type"].endswith("_malformed") else "field_malformed"),
            one["msg"],
        )
        for one in error.errors(include_input=False, include_context=False, include_url=False)
    )
    return Invalid("validation_failed", "At least one field cannot be used.", errors=errors)


def _pointer(loc: tuple[int | str, ...], *, hidden: bool) -> str:
    """The JSON pointer of a field. A name that is not ours is shown only if it cannot be a pasted secret."""
    parts = [str(part) for part in loc]
    if hidden and not (parts[-1].isascii() and parts[-1].replace("_", "").isalpha() and len(parts[-1]) <= 40):
        parts = parts[:-1]
    return "".join(f"/{part}" for part in parts)
