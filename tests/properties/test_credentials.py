"""No sequence of credential operations widens power: the real use cases on PostgreSQL against a second book."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)

from governor.domain.credentials import Credential, Kind, Role
from governor.domain.errors import Forbidden, GovernorError, Invalid, NotFound, Unauthenticated
from governor.domain.limits import Scope
from governor.domain.windows import WindowKind
from governor.usecases.callers import Caller, live_chain
from governor.usecases.credential_drafts import CredentialDraft
from governor.usecases.manage_credentials import _existing
from tests.builders import World, ask, fresh_key, limit_draft
from tests.fakes.provider import FakeProvider
from tests.properties.at_random import try_stories
from tests.properties.family import FOR_EVER, Family, Member, Secret
from tests.stories import new_world as new_world
from tests.stories import twin as twin
from tests.stories import twin_process as twin_process

ROOT_CAP = 1000
WIDER = [
    CredentialDraft("wider", Role.OPERATOR),
    CredentialDraft("wider", Role.APPROVER),
    CredentialDraft("wider", None, kind=Kind.HUMAN),
    CredentialDraft("wider", None, owner="somebody else"),
    CredentialDraft("wider", None, agent="another agent"),
]

picks = st.sampled_from(range(12))
lives = st.sampled_from([None, None, None, 30, 60, 200, 2000])
caps = st.none() | st.integers(0, 600)


class Power(RuleBasedStateMachine):
    """One family; whoever acts comes with some secret that was once handed out, alive or not."""

    world: World
    ahead: list[float]
    """How far the development clock is ahead, in seconds: it never goes back, over all families."""

    @initialize(life=lives)
    def root_is_made(self, life: int | None) -> None:
        self.family, app = Family(), self.world.app
        ends = None if life is None else self.now() + timedelta(seconds=life)
        draft = CredentialDraft("root", Role.AGENT, owner="ana", agent="bot", expires_at=ends)
        made, key = app.manage_credentials.found(self.world.environment, draft)
        self.world.limit(ROOT_CAP, scope=Scope.CREDENTIAL, value=made.id, window=WindowKind.LIFETIME)
        self.family.members.append(Member(made.id, None, ends, ROOT_CAP))
        self.family.secrets.append(Secret(key, self.family.members[0]))

    def now(self) -> datetime:
        return self.world.app.store.now()

    def comes_with(self, pick: int) -> tuple[Secret, Caller | None]:
        """Somebody with one of the secrets; no caller when it does not open."""
        secret = self.family.secrets[pick % len(self.family.secrets)]
        opens = secret.opens_at(self.now())
        try:
            caller = self.world.app.authenticate(secret.key)
        except Unauthenticated:
            assert not secret.opens_at(self.now()) or not opens
            return secret, None
        assert opens, "a secret opens that should not"
        assert caller.superseded is (secret.until is not None)
        return secret, caller

    @rule(pick=picks, life=lives, cap=caps)
    def a_child_is_made(self, pick: int, life: int | None, cap: int | None) -> None:
        secret, caller = self.comes_with(pick)
        if caller is None:
            return
        ends = None if life is None else self.now() + timedelta(seconds=life)
        own = () if cap is None else (limit_draft(cap, scope=Scope.CREDENTIAL, window=WindowKind.LIFETIME),)
        draft = CredentialDraft("child", None, expires_at=ends, caps=own)
        try:
            made, key, _ = self.world.app.manage_credentials.create(caller, draft, fresh_key())
        except GovernorError as refused:
            longer = ends is not None and ends > secret.member.latest_end()
            deep = refused.code == "delegation_too_deep"
            rightly = longer or deep or caller.superseded or not secret.opens_at(self.now())
        else:
            rightly = not caller.superseded
            self.born(secret.member, made, key, cap)
        assert rightly

    def born(self, parent: Member, made: Credential, key: str | None, cap: int | None) -> None:
        assert key is not None
        assert (made.owner, made.agent, made.role, made.kind) == ("ana", "bot", Role.AGENT, Kind.PROGRAM)
        member = Member(made.id, parent, made.expires_at, cap)
        assert member.latest_end() <= parent.latest_end()
        assert member.latest_end() == (made.expires_at or FOR_EVER), "it says itself when it ends"
        self.family.members.append(member)
        self.family.secrets.append(Secret(key, member))

    @rule()
    def the_youngest_has_a_child(self) -> None:
        self.a_child_is_made(len(self.family.secrets) - 1, None, None)

    @rule(pick=picks, wish=st.sampled_from(WIDER))
    def a_wider_child_is_wished_for(self, pick: int, wish: CredentialDraft) -> None:
        _, caller = self.comes_with(pick)
        if caller is not None:
            with pytest.raises((Invalid, Forbidden, Unauthenticated)):
                self.world.app.manage_credentials.create(caller, wish, fresh_key())

    @rule(pick=picks, other=picks, overlap=st.integers(0, 100))
    def a_secret_is_replaced(self, pick: int, other: int, overlap: int) -> None:
        secret, caller = self.comes_with(pick)
        if caller is None:
            return
        target = self.family.members[other % len(self.family.members)]
        spent = timedelta(seconds=overlap)
        try:
            made, key, _ = self.world.app.manage_credentials.rotate(caller, target.id, spent, fresh_key())
        except GovernorError:
            mine = secret.member in target.line() and target.lives_at(self.now())
            assert not mine or caller.superseded
            return
        assert key is not None
        assert made.previous_until is not None
        assert secret.member in target.line(), "a secret of somebody else's was replaced, and so known"
        assert secret.until is None, "a replaced secret got itself another one"
        self.family.replaced(target, key, made.previous_until)

    @rule(pick=picks, other=picks)
    @precondition(lambda self: len(self.family.members) > 1)
    def one_is_revoked(self, pick: int, other: int) -> None:
        secret, caller = self.comes_with(pick)
        target = self.family.members[other % len(self.family.members)]
        if caller is None or target.parent is None:
            return
        try:
            self.world.app.manage_credentials.revoke(caller, target.id)
        except (NotFound, Unauthenticated):
            assert secret.member not in target.line() or not secret.member.lives_at(self.now())
            return
        assert secret.member in target.line()
        self.family.revoked(target)

    @rule(other=picks)
    @precondition(lambda self: len(self.family.members) > 2)
    def an_operator_revokes_one(self, other: int) -> None:
        target = self.family.members[1 + other % (len(self.family.members) - 1)]
        self.world.app.manage_credentials.revoke(self.world.operator, target.id)
        self.family.revoked(target)

    @rule(pick=picks, amount=st.integers(1, 400))
    def a_refund_is_asked_for(self, pick: int, amount: int) -> None:
        secret, caller = self.comes_with(pick)
        if caller is None:
            return
        asked = ask(self.world.payment(5000), amount)
        fits = self.family.fits(secret.member, amount)
        try:
            request = self.world.answer(caller, asked).request
        except Unauthenticated:
            assert not secret.member.lives_at(self.now())
            return
        assert (request.denial is None) is fits
        if fits:
            self.family.asked.append((secret.member, amount))

    @rule(seconds=st.sampled_from([1, 30, 50]))
    def time_passes(self, seconds: int) -> None:
        self.ahead[0] += seconds
        self.world.advance(self.ahead[0])

    @invariant()
    def every_secret_opens_what_it_should_and_no_more(self) -> None:
        for pick in range(len(getattr(self, "family", Family()).secrets)):
            self.comes_with(pick)


@pytest.fixture
def world(new_world: Callable[..., World]) -> World:
    built = new_world(provider=FakeProvider(), clock=True)
    built.limit(10**9, window=WindowKind.LIFETIME)
    return built


def test_no_sequence_of_credential_operations_widens_power(world: World) -> None:
    """Invariant 13, RELIABILITY T3: alive, known and affordable exactly as the second book says, after every step."""
    try_stories(Power, world, 20)


# What is switched off, and what stands in its place: each must be found, or the search above proves nothing.
CANARIES = {
    "governor.usecases.callers.alive": lambda chain, now: bool(chain) and chain[0].live_at(now),
    "governor.usecases.manage_credentials._known_to": lambda tx, _, key: _existing(tx, key),
    "governor.usecases.manage_credentials.refuse_wider": lambda *_: None,
    "governor.usecases.manage_credentials._rights": lambda tx, caller, *_: live_chain(tx, caller),
}


@pytest.mark.parametrize("rule_off", CANARIES)
def test_each_rule_that_is_switched_off_is_missed(
    world: World, monkeypatch: pytest.MonkeyPatch, rule_off: str
) -> None:
    monkeypatch.setattr(rule_off, CANARIES[rule_off])
    with pytest.raises((AssertionError, pytest.fail.Exception, BaseExceptionGroup)):
        try_stories(Power, world, 60, the_same=True)
