from dataclasses import replace
from datetime import timedelta

import pytest

from governor.domain.approval import Choice
from governor.domain.credentials import Kind, Role, render_key
from governor.domain.errors import Conflict, Forbidden, Invalid, NotFound, TooManyTries, Unauthenticated
from governor.domain.lifecycle import State
from governor.usecases.credential_drafts import CredentialDraft
from governor.usecases.grant_membership import MembershipDraft
from tests.builders import World, fresh_key
from tests.usecases.people import ADDRESS, PASSWORD, Staff


@pytest.fixture
def staff(world: World) -> Staff:
    return Staff(world)


def test_a_person_signs_in_and_decides_with_their_membership(staff: Staff, world: World) -> None:
    world.limit(5000, approval_above=0)
    request = world.request(world.caller(), world.payment(), 1500)
    ben = staff.caller(staff.sign_in(staff.person("ben", Role.APPROVER)), Role.APPROVER)
    assert world.decide(ben, request, Choice.APPROVE).state is State.QUEUED
    assert world.drain(request) == 1
    assert world.now(request).state is State.SUCCEEDED
    with world.app.store.reading() as reads:
        [vote] = reads.votes(world.environment, request.hold or "")
    assert (vote[0].person, vote[0].credential) == ("ben", ben.credential.id)


def test_nobody_decides_by_session_what_they_asked_for_by_key(staff: Staff, world: World) -> None:
    world.limit(5000, approval_above=0)
    request = world.request(world.caller(owner="ben"), world.payment(), 1500)
    ben = staff.caller(staff.sign_in(staff.person("ben", Role.APPROVER)), Role.APPROVER)
    with pytest.raises(Forbidden, match="self_approval"):
        world.decide(ben, request, Choice.APPROVE)


def test_nobody_decides_by_key_what_they_asked_for_by_session(staff: Staff, world: World) -> None:
    world.limit(5000, approval_above=0)
    ada = staff.caller(staff.sign_in(staff.person("ada", Role.AGENT)), Role.AGENT)
    request = world.request(ada, world.payment(), 1500)
    with pytest.raises(Forbidden, match="self_approval"):
        world.decide(world.approver(owner="ada"), request, Choice.APPROVE)
    assert world.decide(world.approver(), request, Choice.APPROVE).state is State.QUEUED


@pytest.mark.parametrize(
    ("login", "password"),
    [
        ("ben", "a long walk to Thursday"),
        ("ben", ""),
        ("ben", PASSWORD * 10),
        ("nobody", PASSWORD),
        ("", PASSWORD),
        ("ben\x00", PASSWORD),
        ("b" * 100_000, PASSWORD),
        ("béñ", PASSWORD),
    ],
)
def test_whatever_is_wrong_is_answered_alike(staff: Staff, login: str, password: str) -> None:
    staff.person("ben")
    with pytest.raises(Unauthenticated) as refused:
        staff.sign_in(login, password)
    assert str(refused.value) == "sign_in_failed: The login, the password or the code is wrong."


def test_a_login_may_be_typed_in_capitals(staff: Staff) -> None:
    staff.person("ben")
    assert staff.sign_in(" Ben ").person.login == "ben"


def test_after_wrong_tries_the_right_password_has_to_wait_like_the_wrong_one(
    staff: Staff, world: World
) -> None:
    """RELIABILITY case 185, for a login that exists and for one that does not, all in one moment."""
    staff.person("ben")
    now, people = world.app.store.now(), world.app.people
    prove = replace(people.sign_in.prove, now=lambda: now)
    for login in ("ben", "nobody"):
        seen = []
        for _ in range(100):
            with pytest.raises((Unauthenticated, TooManyTries)) as refused:
                prove(login, "wrong and long enough", "", ADDRESS)
            seen.append(refused.value.code)
        assert seen == ["sign_in_failed"] * 5 + ["too_many_tries"] * 95
        with pytest.raises(TooManyTries) as slowed:
            prove(login, PASSWORD, "", ADDRESS)
        assert slowed.value.detail == "Too many tries went wrong; wait a little."
        assert slowed.value.retry_after_seconds == 5
    ben = prove("ben", PASSWORD, "", "198.51.100.1")
    assert [one.succeeded for one in people.account.sign_ins(ben)] == [False] * 5


def test_a_session_is_over_when_it_says_so(staff: Staff, world: World) -> None:
    opened = staff.sign_in(staff.person("ben", Role.APPROVER))
    other = staff.sign_in("ben")
    sessions = world.app.people.sessions
    sessions.end(opened.token)
    sessions.end(opened.token)
    _over(staff, opened.token)
    sessions.end_all(sessions.of(other.token).person)
    _over(staff, other.token)
    for token in ("", "x", other.token[:-1] + "!", "0" * 43, "\x00" * 43):
        _over(staff, token)


def _over(staff: Staff, token: str) -> None:
    with pytest.raises(Unauthenticated) as refused:
        staff.world.app.people.sessions.of(token)
    assert refused.value.code == "session_over"


def test_a_disabled_person_comes_in_nowhere_and_nothing_of_theirs_is_sent(staff: Staff, world: World) -> None:
    """RELIABILITY §5.2 T28: what was open is over at once."""
    world.limit(5000)
    opened = staff.sign_in(staff.person("ada", Role.AGENT, Role.APPROVER))
    ada = staff.caller(opened, Role.AGENT)
    request = world.request(ada, world.payment(), 1500)
    payment = world.payment()
    world.app.people.manage.disable("ada")
    _over(staff, opened.token)
    with pytest.raises(Unauthenticated, match="sign_in_failed"):
        staff.sign_in("ada")
    with pytest.raises(Unauthenticated, match="credential_invalid"):
        world.request(ada, payment, 1500)
    assert world.now(request).state is State.CANCELED
    assert world.writes() == []
    world.app.people.manage.enable("ada")
    _over(staff, opened.token)
    assert staff.caller(staff.sign_in("ada"), Role.AGENT).credential.id == ada.credential.id


def test_a_membership_that_is_granted_to_somebody_who_is_being_disabled_is_suspended(
    staff: Staff, world: World
) -> None:
    person = world.app.people.manage.named(staff.person("ada"))
    known = world.app.people.grant.people
    world.app.people.manage.disable("ada")
    with pytest.raises(Conflict, match="person_disabled"):
        staff.member("ada", Role.AGENT)
    world.app.people.manage.enable("ada")

    class Earlier:
        """Looked before she was disabled."""

        def __getattr__(self, name: str) -> object:
            return getattr(known, name)

        def by_login(self, login: str) -> object:
            found = known.by_login(login)
            world.app.people.manage.disable(login)
            return found

    grant = type(world.app.people.grant)(Earlier(), world.app.store, world.app.people.grant.ids)  # type: ignore[arg-type]  # a store that looks too early
    membership, _ = grant(world.operator, MembershipDraft("ada", Role.AGENT), fresh_key())
    assert [one.suspended_at is not None for one in known.members(person.id)] == [True]
    world.app.people.manage.enable("ada")
    assert [one.id for one in known.members(person.id) if one.suspended_at is None] == [membership.id]


def test_another_password_ends_every_session(staff: Staff, world: World) -> None:
    opened = staff.sign_in(staff.person("ben"))
    world.app.people.manage.set_password("ben", "a short walk to Thursday")
    _over(staff, opened.token)
    with pytest.raises(Unauthenticated):
        staff.sign_in("ben")
    assert staff.sign_in("ben", "a short walk to Thursday").person.login == "ben"


def test_a_membership_is_granted_once_by_somebody_else_and_revoked(staff: Staff, world: World) -> None:
    app, operator = world.app, world.operator
    staff.person("ben")
    draft, key = MembershipDraft("ben", Role.APPROVER, {"usd": 5000}), fresh_key()
    membership, _ = app.people.grant(operator, draft, key)
    assert app.people.grant(operator, draft, key) == (membership, True)
    assert (membership.kind, membership.owner, membership.approve_up_to) == (Kind.HUMAN, "ben", {"usd": 5000})
    with pytest.raises(Conflict, match="membership_exists"):
        app.people.grant(operator, draft, fresh_key())
    with pytest.raises(NotFound, match="person_not_found"):
        app.people.grant(operator, MembershipDraft("nobody", Role.AUDITOR), fresh_key())
    with pytest.raises(Invalid, match="validation_failed"):
        app.people.grant(operator, MembershipDraft("ben", Role.AUDITOR, {"usd": 1}), fresh_key())
    opened = staff.sign_in("ben")
    assert staff.caller(opened, Role.APPROVER).credential == membership
    app.manage_credentials.revoke(operator, membership.id, "left")
    with pytest.raises(NotFound, match="environment_not_found"):
        staff.caller(opened, Role.APPROVER)
    assert app.people.grant(operator, draft, fresh_key())[0].id != membership.id


def test_nobody_grants_anything_to_themselves_and_only_operators_grant(staff: Staff, world: World) -> None:
    staff.person("cleo", Role.OPERATOR, Role.APPROVER)
    opened = staff.sign_in("cleo")
    with pytest.raises(Forbidden, match="own_membership"):
        world.app.people.grant(
            staff.caller(opened, Role.OPERATOR), MembershipDraft("cleo", Role.AUDITOR), fresh_key()
        )
    by_key = world.caller(Role.OPERATOR, "cleo's key", kind=Kind.HUMAN, owner="cleo")
    with pytest.raises(Forbidden, match="own_membership"):
        world.app.people.grant(by_key, MembershipDraft("cleo", Role.AUDITOR), fresh_key())
    draft = CredentialDraft("a puppet", Role.OPERATOR, Kind.HUMAN, "olaf")
    puppet = world.app.manage_credentials.create(by_key, draft, fresh_key())[1]
    with pytest.raises(Forbidden, match="own_membership"):
        world.app.people.grant(
            world.app.authenticate(puppet or ""), MembershipDraft("cleo", Role.AUDITOR), fresh_key()
        )
    for login in (staff.person("dana"), "nobody"):
        with pytest.raises(Forbidden, match="role_not_allowed"):
            world.app.people.grant(
                staff.caller(opened, Role.APPROVER), MembershipDraft(login, Role.AUDITOR), fresh_key()
            )


def test_no_key_opens_a_membership(staff: Staff, world: World) -> None:
    staff.person("ben")
    membership = staff.member("ben", Role.AGENT)
    with pytest.raises(Unauthenticated, match="credential_invalid"):
        world.app.authenticate(render_key(membership.id, "x" * 43))
    with pytest.raises(Conflict, match="credential_keyless"):
        world.app.manage_credentials.rotate(
            world.operator, membership.id, timedelta(0), fresh_key("rotation")
        )


def test_a_person_is_what_they_are_in_each_environment(staff: Staff, world: World) -> None:
    opened = staff.sign_in(staff.person("ben", Role.APPROVER))
    signed_in = world.app.people.sessions.of(opened.token)
    assert signed_in.environments == (world.environment,)
    assert signed_in.roles(world.environment) == {Role.APPROVER}
    assert signed_in.roles("elsewhere") == frozenset()
    with pytest.raises(NotFound, match="environment_not_found"):
        signed_in.caller("elsewhere", Role.APPROVER)
    with pytest.raises(Forbidden, match="role_not_allowed"):
        signed_in.caller(world.environment, Role.OPERATOR)
    assert signed_in.session.address == ADDRESS
