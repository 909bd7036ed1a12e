"""The same families at work: what they ask for is decided by people, stopped, and sent, and never more than they may."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from governor.domain.approval import Choice
from governor.domain.credentials import Kind, Role
from governor.domain.errors import Forbidden, Unauthenticated, Unavailable
from governor.domain.freezes import Freeze
from governor.domain.lifecycle import State
from governor.domain.limits import Scope
from governor.domain.requests import RefundRequest
from governor.domain.windows import WindowKind
from governor.usecases.credential_drafts import CredentialDraft
from tests.builders import World, ask
from tests.fakes.provider import FakeProvider
from tests.freezing import freeze, unfreeze
from tests.properties.at_random import try_stories
from tests.properties.family import Family, Member
from tests.properties.test_credentials import Power, lives, picks
from tests.stories import new_world as new_world
from tests.stories import twin as twin
from tests.stories import twin_process as twin_process

ASKS_PEOPLE_ABOVE = 250


@dataclass
class Asked:
    """What a member has asked for and is not sent yet."""

    member: Member
    request: RefundRequest
    approved: bool


class AtWork(Power):
    """A family whose refunds are approved, frozen and sent."""

    @initialize(life=lives)
    def root_is_made(self, life: int | None) -> None:
        super().root_is_made(life)
        self.waiting: list[Asked] = []
        self.frozen: dict[str, Freeze] = {}

    def is_frozen(self, member: Member) -> bool:
        return any(one.id in self.frozen for one in member.line())

    def not_sent(self) -> None:
        """What the family has asked for, anew: whatever was canceled with its asker is gone."""
        self.waiting = [
            one for one in self.waiting if self.world.now(one.request).state is not State.CANCELED
        ]
        self.family.asked = [(one.member, one.request.amount_minor) for one in self.waiting]

    @rule(pick=picks, amount=st.integers(1, 200) | st.integers(ASKS_PEOPLE_ABOVE + 1, 400))
    def a_refund_is_asked_for(self, pick: int, amount: int) -> None:
        secret, caller = self.comes_with(pick)
        if caller is None:
            return
        fits = self.family.fits(secret.member, amount)
        try:
            request = self.world.answer(caller, ask(self.world.payment(5000), amount)).request
        except Unauthenticated:
            assert not secret.member.lives_at(self.now())
            return
        except Unavailable:
            assert self.is_frozen(secret.member)
            return
        assert not self.is_frozen(secret.member)
        assert (request.denial is None) is fits
        if fits:
            waits = request.state is State.PENDING_APPROVAL
            assert waits is (amount > ASKS_PEOPLE_ABOVE)
            self.waiting.append(Asked(secret.member, request, approved=not waits))
            self.family.asked.append((secret.member, amount))

    @rule(other=picks)
    def one_is_frozen(self, other: int) -> None:
        member = self.family.members[other % len(self.family.members)]
        self.frozen[member.id] = freeze(self.world, Scope.CREDENTIAL, member.id)

    @rule()
    @precondition(lambda self: self.frozen)
    def everybody_may_go_on(self) -> None:
        for frozen in self.frozen.values():
            unfreeze(self.world, frozen)
        self.frozen.clear()

    @rule(pick=picks, up_to=st.sampled_from([None, 200, 300, 400]))
    @precondition(lambda self: any(not one.approved for one in self.waiting))
    def somebody_approves(self, pick: int, up_to: int | None) -> None:
        self.not_sent()
        open_holds = [one for one in self.waiting if not one.approved]
        if not open_holds:
            return
        chosen = open_holds[pick % len(open_holds)]
        own = None if up_to is None else {"usd": up_to}
        draft = CredentialDraft("approver", Role.APPROVER, Kind.HUMAN, "somebody else", approve_up_to=own)
        approver = self.world.app.authenticate(
            self.world.app.manage_credentials.found(self.world.environment, draft)[1]
        )
        enough = up_to is None or chosen.request.amount_minor <= up_to
        try:
            self.world.decide(approver, chosen.request, Choice.APPROVE)
        except Forbidden:
            assert not enough
        else:
            assert enough
            chosen.approved = True

    @rule()
    def what_may_be_sent_is_sent(self) -> None:
        """By a worker that finds everything: only the living, unfrozen and approved may be among it, and all of them."""
        self.not_sent()
        provider = self.world.provider
        assert isinstance(provider, FakeProvider)
        before = len(provider.orders)
        may = {
            one.request.id
            for one in self.waiting
            if one.approved and one.member.lives_at(self.now()) and not self.is_frozen(one.member)
        }
        if self.waiting:
            self.world.drain(self.waiting[0].request)
        ours = {one.request.id for one in self.waiting}
        sent = [order.request_id for order in provider.orders[before:] if order.request_id in ours]
        assert sorted(sent) == sorted(may), "each once; families before may have left something behind"
        self.family.left += [
            (one.member, one.request.amount_minor) for one in self.waiting if one.request.id in may
        ]
        self.waiting = [one for one in self.waiting if one.request.id not in may]
        self.not_sent()

    @invariant()
    def nobody_has_sent_more_than_their_caps(self) -> None:
        family = getattr(self, "family", Family())
        for member in family.members:
            sent = sum(amount for sender, amount in family.left if member in sender.line())
            assert member.cap is None or sent <= member.cap


@pytest.fixture
def world(new_world: Callable[..., World]) -> World:
    built = new_world(provider=FakeProvider(), clock=True)
    built.limit(10**9, window=WindowKind.LIFETIME, approval_above=ASKS_PEOPLE_ABOVE)
    return built


def test_nothing_leaves_beyond_what_its_askers_their_ancestors_and_their_approvers_may(world: World) -> None:
    """Invariants 13 and 15, T3: after every step, what was sent is what the second book lets leave."""
    try_stories(AtWork, world, 15)


def test_an_approver_without_a_limit_of_their_own_would_be_missed(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("governor.usecases.decide_hold.refuse_approver", lambda *_: None)
    with pytest.raises((AssertionError, BaseExceptionGroup)):
        try_stories(AtWork, world, 60, the_same=True)
