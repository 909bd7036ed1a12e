"""Domain values with everything filled in that a test does not care about. Amounts in minor units of usd."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, TypeVar

from governor.domain.admission import Ask, PaymentBook, Sibling, Situation
from governor.domain.evidence import Evidence, Expected, Source
from governor.domain.lifecycle import State
from governor.domain.limits import Limit, Measure, Scope, Subject, Usage, charges_for
from governor.domain.outcome import Outcome
from governor.domain.payments import Dispute, PaymentFacts, PaymentMethod, ProviderRefund
from governor.domain.requests import RefundRequest
from governor.domain.rules import Conditions, Consequence, Rule, RuleEffect, RuleMode
from governor.domain.windows import WindowKind

NOON = datetime(2026, 11, 29, 12, tzinfo=UTC)
EXPECTED = Expected("rr_1", "pi_1", 100, "usd")

SUBJECT = Subject("test", ("cred_child", "cred_parent"), "bot", "cus_1", "pi_1", "ZD-1", "usd")

_LIMIT = Limit(
    id="lim_1",
    scope=Scope.ENVIRONMENT,
    value=None,
    measure=Measure.AMOUNT,
    currency="usd",
    window=WindowKind.DAY,
    window_days=None,
    time_zone="UTC",
    cap=1000,
    approval_above=None,
    revision=1,
)

VISA = PaymentMethod("card", "visa", "4242")
FACTS = PaymentFacts(
    payment="pi_1",
    account="acct_1",
    currency="usd",
    captured_minor=10_000,
    customer="cus_1",
    livemode=False,
    refundable_status=True,
    dispute=Dispute.NONE,
    charge="ch_1",
    refunds=(),
    read_at=NOON,
    paid_at=NOON - timedelta(days=30),
    method=VISA,
    connected=False,
)


Value = TypeVar("Value")


def replaced(value: Value, **fields: Any) -> Value:
    """The value with some fields changed; which ones is known only to the table of a test."""
    changed: Value = replace(value, **fields)  # type: ignore[type-var]  # values are dataclasses
    return changed


def limit(**fields: Any) -> Limit:
    """A limit of 1000 usd a day for the whole environment, but for `fields`."""
    if fields.get("measure") is Measure.COUNT:
        fields = {"currency": None} | fields
    return replace(_LIMIT, **fields)


def rule(effect: RuleEffect = RuleEffect.APPROVAL, *, quorum: int = 1, **fields: Any) -> Rule:
    """A rule that fires for every request, but for `fields`: those of a condition, an approval, or the rule itself."""
    when = {name: fields.pop(name) for name in Conditions.__dataclass_fields__ if name in fields}
    asked = {name: fields.pop(name) for name in ("approvers", "expires_seconds") if name in fields}
    then = Consequence(effect, quorum if effect is RuleEffect.APPROVAL else 0, **asked)
    return replace(Rule("rule_1", 1, "a rule", RuleMode.ENFORCE, None, Conditions(**when), then), **fields)


def ask(amount: int | None, **fields: Any) -> Ask:
    """What a caller asks for."""
    given = {"reason": None, "case": None, "note": None, "duplicate_of": None}
    return Ask("pi_1", amount, "usd", **(given | fields))


def situation(
    amount: int,
    *limits: Limit,
    usage: Usage | None = None,
    book: PaymentBook | None = None,
    siblings: tuple[Sibling, ...] = (),
    facts: PaymentFacts = FACTS,
    **fields: Any,
) -> Situation:
    """Everything a decision about `amount` looks at; `usage` is what every counter holds already."""
    charges = charges_for(SUBJECT, amount, limits, NOON)
    counters = {charge.key: replace(usage or Usage()) for charge in charges if charge.counted}
    return Situation(facts, book or PaymentBook(), siblings, charges, counters, NOON, **fields)


def refund(status: str | None = "succeeded", **fields: Any) -> ProviderRefund:
    """A refund at the provider that is exactly the one asked for, but for `fields`."""
    exact = ProviderRefund("re_1", "pi_1", 100, "usd", status, "rr_1")
    return replace(exact, **fields)


def reply(attempt: int, outcome: Outcome, shown: ProviderRefund | None = None, **fields: Any) -> Evidence:
    """What the provider answered to one attempt."""
    return Evidence(Source.REPLY, outcome, attempt=attempt, refund=shown, **fields)


def read(shown: ProviderRefund, source: Source = Source.READ) -> Evidence:
    """A look at a refund itself."""
    return Evidence(source, Outcome.ACCEPTED, refund=shown)


def request(state: State = State.QUEUED, **fields: Any) -> RefundRequest:
    """A request for 100 usd of pi_1."""
    standing = RefundRequest(
        environment="test",
        id="rr_1",
        operation_key="operation-1",
        fingerprint="sha256:0",
        payment="pi_1",
        amount_minor=100,
        asked_amount_minor=100,
        currency="usd",
        reason=None,
        case=None,
        note=None,
        customer="cus_1",
        account="acct_1",
        requested_by="cred_child",
        credentials=("cred_child", "cred_parent"),
        agent="bot",
        person="ana",
        state=state,
        hold="hold_1",
        created_at=NOON,
        updated_at=NOON,
    )
    return replace(standing, **fields)
