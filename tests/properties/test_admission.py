"""Invariant 1, for any limits and any sequence of asks; and an independent ledger decides the same."""

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from governor.domain.admission import Ask, Decision, PaymentBook, Situation, decide, take
from governor.domain.lifecycle import State
from governor.domain.limits import Charge, CounterKey, Limit, Measure, Scope, Subject, Usage, charges_for
from governor.domain.windows import MAX_ROLLING_DAYS, WindowKind
from tests.properties.ledger import Ledger, Line
from tests.unit.values import FACTS, replaced

CAPTURED = 3000
START = datetime(2026, 10, 23, 20, tzinfo=UTC)
"""Two days before Berlin's day of 25 hours and eight before a new month."""

subjects = st.builds(
    Subject,
    environment=st.just("test"),
    credentials=st.sampled_from([("cred_a",), ("cred_b", "cred_a"), ("cred_c",)]),
    agent=st.sampled_from(["bot", "cat"]),
    customer=st.sampled_from(["cus_1", "cus_2", None]),
    payment=st.sampled_from(["pi_1", "pi_2"]),
    case=st.sampled_from(["ZD-1", None]),
    currency=st.sampled_from(["usd", "eur"]),
)


@st.composite
def limits(draw: st.DrawFn) -> tuple[Limit, ...]:
    """One to five limits of every kind."""
    made = []
    for number in range(draw(st.integers(1, 5))):
        measure = draw(st.sampled_from(Measure))
        window = draw(st.sampled_from(WindowKind))
        scope = draw(st.sampled_from(Scope))
        made.append(
            Limit(
                id=f"lim_{number}",
                scope=scope,
                value=draw(st.sampled_from([None, None, "cred_a", "cus_1", "bot", "pi_2"])),
                measure=measure,
                currency=draw(st.sampled_from(["usd", "eur"])) if measure is Measure.AMOUNT else None,
                window=window,
                window_days=draw(st.integers(1, 5)) if window is WindowKind.ROLLING else None,
                time_zone=draw(st.sampled_from(["UTC", "Europe/Berlin", "Asia/Shanghai"])),
                cap=draw(st.integers(0, 2500) if measure is Measure.AMOUNT else st.integers(0, 4)),
                approval_above=None,
                revision=1,
            )
        )
    return tuple(made)


asks = st.lists(
    st.tuples(
        subjects,
        st.integers(1, 1500),
        st.integers(0, 40 * 3600),
        # What becomes of it before the next one is asked.
        st.sampled_from(["stays", "stays", "settled", "released"]),
    ),
    min_size=1,
    max_size=14,
)


@dataclass
class Store:
    """The counters as the database keeps them: by key, for ever."""

    counters: dict[CounterKey, Usage] = field(default_factory=dict)
    books: dict[str, PaymentBook] = field(default_factory=dict)

    def usage(self, charges: tuple[Charge, ...]) -> dict[CounterKey, Usage]:
        """The counters that a decision looks at, with the earlier days of rolling windows."""
        for charge in charges:
            if charge.counted:
                usage = self.counters.setdefault(charge.key, Usage())
                usage.earlier = sum(
                    other.settled + other.reserved
                    for key, other in self.counters.items()
                    if (key.limit, key.value) == (charge.key.limit, charge.key.value)
                    and charge.span.since <= key.window_start < charge.span.start
                )
        return self.counters

    def close(self, decision: Decision, book: PaymentBook, *, settled: bool) -> None:
        """Settle or release one admission, each share in the counter where it was made."""
        for line in decision.lines:
            if line.charge.counted:
                usage = self.counters[line.charge.key]
                usage.reserved -= line.charge.amount
                usage.settled += line.charge.amount * settled
        book.reserved -= decision.amount_minor
        book.settled += decision.amount_minor * settled


@settings(max_examples=600, deadline=None)
@given(limits=limits(), asks=asks)
def test_any_sequence_of_asks_stays_under_every_cap_and_is_decided_as_the_ledger_says(
    limits: tuple[Limit, ...], asks: list[tuple[Subject, int, int, str]]
) -> None:
    store, ledger, now = Store(), Ledger(CAPTURED, limits), START
    for subject, amount, seconds, fate in asks:
        now += timedelta(seconds=seconds)
        charges = charges_for(subject, amount, limits, now)
        facts = replaced(FACTS, payment=subject.payment, currency=subject.currency, captured_minor=CAPTURED)
        book = store.books.setdefault(facts.payment, PaymentBook())
        around = Situation(facts, book, (), charges, store.usage(charges), now)
        wish = Ask(facts.payment, amount, subject.currency, None, None, None, None)
        decision = decide(wish, amount, around)
        assert decision.denial == ledger.refusal(subject, amount, now)
        before = {key: (usage.reserved, usage.settled) for key, usage in store.counters.items()}
        take(decision, around)
        if decision.state is State.DENIED:
            assert {key: (usage.reserved, usage.settled) for key, usage in store.counters.items()} == before
            continue
        for charge in charges:
            exposure = store.counters[charge.key].exposure if charge.counted else charge.amount
            assert exposure <= charge.limit.cap
        assert book.reserved + book.settled <= CAPTURED
        ledger.lines.append(Line(subject, amount, now))
        if fate != "stays":
            store.close(decision, book, settled=fate == "settled")
        if fate == "released":
            ledger.lines.pop()


@settings(max_examples=300, deadline=None)
@given(limits=limits(), subject=subjects, amount=st.integers(1, 3000), days=st.integers(0, MAX_ROLLING_DAYS))
def test_advice_to_wait_comes_true_and_advice_to_ask_for_less_can(
    limits: tuple[Limit, ...], subject: Subject, amount: int, days: int
) -> None:
    """Over empty counters: at the moment named, or with the smallest amount, the limits have room."""
    now = START + timedelta(days=days)
    charges = charges_for(subject, amount, limits, now)
    usage = {charge.key: Usage(settled=charge.limit.cap) for charge in charges if charge.counted}
    facts = replaced(FACTS, payment=subject.payment, currency=subject.currency, captured_minor=10_000)
    wish = Ask(facts.payment, amount, subject.currency, None, None, None, None)
    decision = decide(wish, amount, Situation(facts, PaymentBook(), (), charges, usage, now))
    if decision.next_action == "wait_until":
        assert decision.next_action_at is not None
        assert decision.next_action_at > now
        now = decision.next_action_at
    elif decision.next_action == "use_smaller_amount":
        amount = 1
        now = max((charge.span.end for charge in charges if charge.span.end is not None), default=now)
    else:
        return
    later = charges_for(subject, amount, limits, now)
    usage = {charge.key: usage.get(charge.key, Usage()) for charge in later if charge.counted}
    again = decide(wish, amount, Situation(facts, PaymentBook(), (), later, usage, now))
    assert again.denial is None
