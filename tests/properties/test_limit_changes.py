"""No sequence of limits, raises, cuts, time boxes, archives and switches breaks the books, in memory and on PostgreSQL.

DESIGN §3, 1, 9, 12 and 17; the second book is kept by hand below.
"""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import count

from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

from adapters.ids import TypeIds
from adapters.memory.unit_of_work import MemoryUnitOfWork
from governor.domain.credentials import Kind, Role
from governor.domain.environments import Environment, Mode
from governor.domain.lifecycle import OPEN_STATES, State
from governor.domain.requests import RefundRequest
from governor.domain.seen import AsSeen
from governor.domain.windows import WindowKind
from governor.ports.records import RequestFilter
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller, host
from governor.usecases.cancel_refund import CancelRefund
from governor.usecases.change_environment import ChangeEnvironment, EnvironmentDraft
from governor.usecases.change_limit import ChangeLimit
from governor.usecases.confirm_limit_change import ConfirmLimitChange
from governor.usecases.credential_drafts import CredentialDraft
from governor.usecases.dispatch_refund import DispatchRefund
from governor.usecases.limit_series import Saying
from governor.usecases.manage_credentials import ManageCredentials
from governor.usecases.payment_facts import ReadPaymentFacts
from governor.usecases.request_refund import RequestRefund
from tests.builders import World, ask, fresh_key, limit_draft
from tests.fakes.provider import FakeProvider
from tests.properties.limit_hand import FAR, REFUSALS, Hand, Word, refused_with
from tests.stories import new_world as new_world
from tests.stories import twin as twin
from tests.stories import twin_process as twin_process

_names = count(1)
caps = st.integers(0, 1200)
picks = st.integers(0, 20)
hours = st.sampled_from([0, 0, 0, 1, 2, 5])
lasts = st.sampled_from([None, None, 0.5, 3, 30])


class Limits(RuleBasedStateMachine):
    """One environment with an operator, a second one and an agent. `store` is either."""

    store: UnitOfWork
    provider: FakeProvider
    travel: Callable[[timedelta], None]

    @initialize()
    def founded(self) -> None:
        self.name, ids = f"env{next(_names)}", TypeIds()
        now = self.store.now()
        self.store.add_environment(
            Environment(self.name, "acct_fake", Mode.ENFORCE, None, None, None, 1000, 3600, 0, 1, now)
        )
        keys = ManageCredentials(self.store, ids, b"a pepper of thirty-two characters!")
        self.operator = host(self.name)
        self.second = self.person(keys, "second", Role.OPERATOR, Kind.HUMAN)
        self.agent = self.person(keys, "agent", Role.AGENT, Kind.PROGRAM)
        facts = ReadPaymentFacts(self.store, self.provider, timedelta(hours=1))
        self.request = RequestRefund(self.store, facts, ids)
        self.cancel = CancelRefund(self.store)
        self.dispatch = DispatchRefund(self.store, self.provider, lambda: 0.0)
        self.limits = ChangeLimit(self.store, ids)
        self.second_word = ConfirmLimitChange(self.store)
        self.hands: list[Hand] = []
        self.two_people = False
        self.a_limit(1000, WindowKind.LIFETIME)

    def person(self, keys: ManageCredentials, name: str, role: Role, kind: Kind) -> Caller:
        credential, _ = keys.found(self.name, CredentialDraft(name, role, kind, name))
        return Caller(credential, (credential,))

    def here(self) -> Environment:
        with self.store.reading() as reads:
            found = reads.environment_named(self.name)
        assert found is not None
        return found

    def requests(self) -> tuple[RefundRequest, ...]:
        with self.store.reading() as reads:
            return reads.requests(self.name, RequestFilter(), after=None, at_most=1000)

    @rule(cap=caps, window=st.sampled_from([WindowKind.DAY, WindowKind.LIFETIME]))
    def a_limit(self, cap: int, window: WindowKind) -> None:
        made, _ = self.limits.create(self.operator, limit_draft(cap, window=window), fresh_key("limit"))
        hand = Hand(made)
        self.hands.append(hand)
        self.heard(hand)

    def heard(self, hand: Hand) -> None:
        """Whatever was said since by the store's word, and whether it counts by our own."""
        with self.store.reading() as reads:
            said = reads.limit_changes(self.name, hand.limit.id)
        now = self.store.now()
        for one in said[len(hand.words) :]:
            word = Word(one.id, one.cap, one.effective_at, one.until or FAR, counts=True)
            first = not hand.words
            hand.words.append(word)
            moments = [] if first else hand.moments(now)
            raises = any(hand.cap(at) > hand.cap(at, but=word) for at in moments)
            assert one.raises is raises, "a raise allows more at some moment"
            word.counts = not (raises and self.two_people)
            assert one.waits is not word.counts, "and waits for a second person where raises need two"

    @rule(pick=picks, cap=caps, begins=hours, last=lasts)
    def an_operator_says(self, pick: int, cap: int, begins: float, last: float | None) -> None:
        hand, now = self.hands[pick % len(self.hands)], self.store.now()
        begin = now + timedelta(hours=begins)
        until = None if last is None else begin + timedelta(hours=last)
        with self.store.reading() as reads:
            standing = reads.limit(self.name, hand.limit.id)
        assert standing is not None
        draft = limit_draft(cap, window=standing.window)
        said = Saying("why", begin if begins else None, until)
        with refused_with("too_many_changes"):
            self.limits.update(self.operator, standing.id, draft, AsSeen(standing.revision), said)
        self.heard(hand)

    @rule(pick=picks, which=picks, confirms=st.booleans())
    def somebody_says_the_same_or_takes_it_back(self, pick: int, which: int, confirms: bool) -> None:
        hand = self.hands[pick % len(self.hands)]
        word = hand.words[which % len(hand.words)]
        say = self.second_word.confirm if confirms else self.second_word.withdraw
        with refused_with(*REFUSALS) as refusals:
            say(self.second, hand.limit.id, word.id, "seen", fresh_key("word"))
        if refusals:
            return
        assert not (word.counts and confirms), "only what waits is confirmed"
        with self.store.reading() as reads:
            change = next(one for one in reads.limit_changes(self.name, hand.limit.id) if one.id == word.id)
        word.counts, word.begins = confirms, change.effective_at
        if confirms:  # It came to count only now, so that it is the newest of those that begin with it.
            hand.words.append(hand.words.pop(hand.words.index(word)))

    @rule(observe=st.booleans(), two_people=st.booleans())
    def the_host_switches(self, observe: bool, two_people: bool) -> None:
        here, mode = self.here(), Mode.OBSERVE if observe else Mode.ENFORCE
        draft = EnvironmentDraft(mode, 1000, 3600, raises_need_two=two_people)
        ChangeEnvironment(self.store, self.provider, None)(self.operator, draft, here.revision)  # type: ignore[arg-type]  # no walk is asked for
        self.two_people = two_people

    @rule(amount=st.integers(1, 700))
    def somebody_asks(self, amount: int) -> None:
        payment = self.provider.add_payment(captured_minor=5000)
        made = self.request(self.agent, ask(payment, amount), fresh_key(), None).request
        if made.state is State.QUEUED and self.here().mode is Mode.ENFORCE:
            for hand in self.hands:
                assert self.exposure(hand) <= hand.cap(made.created_at), "what is admitted fits (invariant 1)"

    def exposure(self, hand: Hand, but: frozenset[str] = frozenset()) -> int:
        """What is taken of a limit in its present window, by all but these."""
        start = hand.limit.span_at(self.store.now()).start
        with self.store.reading() as reads:
            rows = reads.counters(self.name, hand.limit.id, at_most=100)
            waiting = [hold for one in but for hold in reads.holds(self.name, one)]
        taken = sum(row.settled + row.reserved for row in rows if row.window_start == start)
        return taken - sum(hold.amount for hold in waiting if hold.limit == hand.limit.id)

    @rule(pick=picks)
    def somebody_cancels(self, pick: int) -> None:
        queued = [one for one in self.requests() if one.state is State.QUEUED]
        if queued:
            self.cancel(self.operator, queued[pick % len(queued)].id, fresh_key("cancel"))

    @rule()
    def a_worker_sends(self) -> None:
        late = {one.id: one.unproven for one in self.requests() if one.state is State.QUEUED and one.unproven}
        enforces = self.here().mode is Mode.ENFORCE
        sent: set[str] = set()
        while claims := self.dispatch.claim(self.name, 5):
            sent |= {self.dispatch.send(claim).id for claim in claims}
        waiting = frozenset(one.id for one in self.requests() if one.state is State.QUEUED and one.unproven)
        for name in (late.keys() & sent) if enforces else ():
            for hand in (one for one in self.hands if one.limit.id in late[name]):
                if hand.limit.window is WindowKind.LIFETIME:
                    assert self.exposure(hand, waiting) <= hand.cap(self.store.now()), "sent without room"

    @rule(passed=st.sampled_from([0.25, 1, 2, 24]))
    def time_passes(self, passed: float) -> None:
        self.travel(timedelta(hours=passed))

    @invariant()
    def the_last_word_counts(self) -> None:
        with self.store.environment(self.name) as tx:
            allowed = {one.id: one.cap for one in tx.active_limits()}
            assert allowed == {one.limit.id: one.cap(tx.now) for one in self.hands}

    @invariant()
    def nobody_loses_a_hold_and_the_counters_are_their_sums(self) -> None:
        """Invariants 9, 12 and 17."""
        with self.store.reading() as reads:
            holds = [hold for one in self.requests() for hold in reads.holds(self.name, one.id)]
            rows = [row for one in self.hands for row in reads.counters(self.name, one.limit.id, at_most=100)]
        assert sum(row.reserved for row in rows) == sum(one.amount for one in holds if one.state == "held")
        assert sum(row.settled for row in rows) == sum(one.settled for one in holds)
        for request in (one for one in self.requests() if one.state in OPEN_STATES):
            held = sorted(one.limit for one in holds if one.request == request.id and one.state == "held")
            assert held == sorted(one.limit.id for one in self.hands), "held on every limit, once"


def _try(examples: int, steps: int, **fields: object) -> None:
    quick = settings(
        max_examples=examples,
        stateful_step_count=steps,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )
    run_state_machine_as_test(type("LimitsHere", (Limits,), fields), settings=quick)


def test_no_sequence_of_limit_changes_breaks_the_books_in_memory() -> None:
    clock = [datetime(2026, 10, 23, 20, tzinfo=UTC)]

    def now() -> datetime:
        """No two decisions have one moment, as with a database: of what begins together the newest word counts."""
        clock[0] += timedelta(microseconds=1)
        return clock[0]

    def travel(_: Limits, by: timedelta) -> None:
        clock[0] += by

    _try(60, 30, store=MemoryUnitOfWork(now), provider=FakeProvider(now=now), travel=travel)


def test_no_sequence_of_limit_changes_breaks_the_books_on_postgresql(
    new_world: Callable[..., World],
) -> None:
    world, ahead = new_world(provider=FakeProvider(), clock=True, database_forgets=False), [0.0]

    def travel(_: Limits, by: timedelta) -> None:
        ahead[0] += by.total_seconds()
        world.advance(ahead[0])

    _try(6, 20, store=world.app.store, provider=world.provider, travel=travel)
