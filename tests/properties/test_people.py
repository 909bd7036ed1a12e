"""No sequence of what happens to people gives a caller to somebody who is disabled, signed out, or was never granted it."""

from collections.abc import Callable
from datetime import datetime
from itertools import count

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from sqlalchemy import text

from governor.domain.credentials import Role
from governor.domain.errors import Conflict, GovernorError, Unauthenticated
from governor.usecases.callers import Caller, live_chain
from governor.usecases.grant_membership import MembershipDraft
from tests.builders import World, fresh_key
from tests.fakes.provider import FakeProvider
from tests.properties.at_random import try_stories
from tests.properties.second_book import Known, Visit
from tests.stories import new_world as new_world
from tests.stories import twin as twin
from tests.stories import twin_process as twin_process

_numbers = count(1)
picks = st.integers(0, 5)
roles = st.sampled_from([Role.AGENT, Role.APPROVER])


class Staff(RuleBasedStateMachine):
    """Two people; whoever acts may come with any token and any caller that there ever was."""

    world: World
    ahead: list[float]

    @initialize()
    def people_are_made(self) -> None:
        self.visits: list[Visit] = []
        self.callers: list[tuple[Caller, Known, str]] = []
        self.people = [Known(f"person{next(_numbers)}", "a long walk to Wednesday") for _ in range(2)]
        for pick, one in enumerate(self.people):
            self.world.app.people.manage.create(one.login, one.login, one.password)
            self.somebody_is_granted(pick, Role.AGENT)
            self.somebody_signs_in(pick, old=False)

    def now(self) -> datetime:
        return self.world.app.store.now()

    def known(self, pick: int) -> Known:
        return self.people[pick % 2]

    @rule(pick=picks, old=st.booleans())
    def somebody_signs_in(self, pick: int, old: bool) -> None:
        person = self.known(pick)
        password = "a long walk to Wednesday" if old else person.password
        right = password == person.password and not person.disabled
        try:
            opened = self.world.app.people.sign_in.with_password(
                person.login, password, "", f"192.0.2.{next(_numbers)}"
            )
        except Unauthenticated:
            assert not right
        else:
            assert right
            at = opened.session.created_at
            self.visits.append(Visit(opened.token, person, at, at))

    @rule(pick=picks, number=st.integers(0, 2))
    def the_host_sets_a_password(self, pick: int, number: int) -> None:
        person = self.known(pick)
        person.password = f"another walk to day {number}"
        self.world.app.people.manage.set_password(person.login, person.password)
        self.end(lambda visit: visit.person is person)

    @rule(pick=picks, number=st.integers(3, 5))
    def somebody_changes_their_password(self, pick: int, number: int) -> None:
        if not self.visits:
            return
        visit = self.visits[pick % len(self.visits)]
        new, live = f"another walk to day {number}", visit.live_at(self.now())
        try:
            self.world.app.people.account.change_password(visit.token, visit.person.password, new)
        except Unauthenticated:
            assert not live
        else:
            assert live
            visit.person.password = new
            self.end(lambda one: one.person is visit.person and one is not visit)

    @rule(pick=picks)
    def somebody_is_disabled(self, pick: int) -> None:
        person = self.known(pick)
        self.world.app.people.manage.disable(person.login)
        person.disabled = True
        self.end(lambda visit: visit.person is person)

    @rule(pick=picks)
    def somebody_is_enabled(self, pick: int) -> None:
        person = self.known(pick)
        self.world.app.people.manage.enable(person.login)
        person.disabled = False

    @rule(pick=picks, role=roles)
    def somebody_is_granted(self, pick: int, role: Role) -> None:
        person, draft = self.known(pick), MembershipDraft(self.known(pick).login, role)
        try:
            made, _ = self.world.app.people.grant(self.world.operator, draft, fresh_key())
        except Conflict:
            assert person.disabled or role in person.roles
        else:
            assert not person.disabled
            assert role not in person.roles
            person.roles[role] = made.id

    @rule(pick=picks, role=roles)
    def somebody_is_granted_no_longer(self, pick: int, role: Role) -> None:
        membership = self.known(pick).roles.pop(role, None)
        if membership is not None:
            self.world.app.manage_credentials.revoke(self.world.operator, membership)

    @rule(pick=picks)
    def somebody_signs_out(self, pick: int) -> None:
        if self.visits:
            visit = self.visits[pick % len(self.visits)]
            self.world.app.people.sessions.end(visit.token)
            visit.ended = True

    @rule(pick=picks)
    def somebody_signs_out_everywhere(self, pick: int) -> None:
        person = self.known(pick)
        sessions = self.world.app.people.sessions
        sessions.end_all(self.world.app.people.manage.named(person.login))
        self.end(lambda visit: visit.person is person)

    @rule(minutes=st.sampled_from([10, 31, 200]))
    def time_passes(self, minutes: int) -> None:
        self.ahead[0] += 60 * minutes
        self.world.advance(self.ahead[0])

    def end(self, which: Callable[[Visit], bool]) -> None:
        for visit in filter(which, self.visits):
            visit.ended = True

    @invariant()
    def a_token_opens_exactly_what_its_person_may_do_now(self) -> None:
        for visit in self.visits:
            now = self.now()
            try:
                signed_in = self.world.app.people.sessions.of(visit.token)
            except Unauthenticated:
                assert not visit.live_at(now)
                visit.ended = True
                continue
            assert visit.live_at(now)
            visit.used_at = now
            assert signed_in.person.login == visit.person.login
            assert signed_in.roles(self.world.environment) == visit.person.roles.keys()
            for role, membership in visit.person.roles.items():
                caller = signed_in.caller(self.world.environment, role)
                assert caller.credential.id == membership
                self.callers.append((caller, visit.person, membership))
        del self.callers[:-8]

    @invariant()
    def a_caller_of_before_is_one_no_longer_than_their_membership_counts(self) -> None:
        """Inside a transaction, as every decision asks it (RELIABILITY §3 B11)."""
        if not self.callers:
            return
        with self.world.app.store.environment(self.world.environment) as tx:
            for caller, person, membership in self.callers:
                counts = membership in person.roles.values() and not person.disabled
                try:
                    live_chain(tx, caller)
                except GovernorError:
                    assert not counts
                else:
                    assert counts


def _try(world: World, examples: int, *, the_same: bool = False) -> None:
    """Each story begins at the same time."""
    world.advance(0)
    try_stories(Staff, world, examples, the_same=the_same)


@pytest.fixture
def world(new_world: Callable[..., World]) -> World:
    return new_world(provider=FakeProvider(), clock=True)


def test_nobody_is_a_caller_who_may_not_be_one(world: World) -> None:
    """RELIABILITY case 183, §5.2 T28: exactly as the second book says, after every step."""
    _try(world, 10)


# What is switched off: each must be missed, or the search above proves nothing.
CANARIES: dict[str, object] = {
    "governor.usecases.sessions.live_members": lambda members, _now: members,
    "governor.domain.people.Lifetimes.live": lambda _self, session, _person, _now: session.ended_at is None,
    "adapters.sql.people_statements.SUSPEND": text("SELECT :person, CAST(:at AS timestamptz)"),
    "adapters.sql.people_statements.END_SESSIONS": text(
        "SELECT :person, CAST(:now AS timestamptz), CAST(:keep AS text)"
    ),
}


@pytest.mark.parametrize("rule_off", CANARIES)
def test_each_rule_that_is_switched_off_is_missed(
    world: World, monkeypatch: pytest.MonkeyPatch, rule_off: str
) -> None:
    monkeypatch.setattr(rule_off, CANARIES[rule_off])
    with pytest.raises((AssertionError, BaseExceptionGroup)):
        _try(world, 60, the_same=True)
    # What the missing rule has left wrong, the check of the books would find.
    monkeypatch.undo()
    for one in world.app.people.manage.everybody():
        world.app.people.manage.enable(one.login)
