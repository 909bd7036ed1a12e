from base64 import b32decode
from collections.abc import Callable
from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from cryptography.hazmat.primitives.hashes import SHA1
from cryptography.hazmat.primitives.twofactor.totp import TOTP

from governor.domain.errors import Conflict, Forbidden, Invalid, NotFound, Unauthenticated
from governor.usecases.own_account import OwnAccount
from tests.builders import World
from tests.usecases.people import PASSWORD, Staff


class Phone:
    """An authenticator that has read an address, on a clock of its own."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        assert (parts.scheme, parts.netloc) == ("otpauth", "totp")
        self._secret = parse_qs(parts.query)["secret"][0]

    def code(self, world: World, ahead: int = 0) -> str:
        """The code of now, or the next one: each counts for a step longer, however slow the test is."""
        at = world.app.store.real_now() + timedelta(seconds=30 * ahead)
        totp = TOTP(b32decode(self._secret), 6, SHA1(), 30)  # noqa: S303 - what authenticators know
        return totp.generate(at.timestamp()).decode()


@pytest.fixture
def staff(world: World) -> Staff:
    return Staff(world)


@pytest.fixture
def account(world: World) -> OwnAccount:
    return world.app.people.account


def test_a_code_is_asked_for_once_the_authenticator_has_shown_a_right_one(
    staff: Staff, account: OwnAccount, world: World
) -> None:
    opened = staff.sign_in(staff.person("ben"))
    with pytest.raises(Conflict, match="totp_not_begun"):
        account.confirm_totp(opened.token, "123456")
    phone = Phone(account.begin_totp(opened.token))
    assert staff.sign_in("ben").person.codes_since is None
    with pytest.raises(Invalid) as wrong:
        account.confirm_totp(opened.token, "000000" if phone.code(world) != "000000" else "111111")
    assert wrong.value.errors[0].pointer == "/code"
    recovery = account.confirm_totp(opened.token, phone.code(world))
    assert len(set(recovery)) == 10
    for refused in (account.begin_totp, lambda token: account.confirm_totp(token, phone.code(world))):
        with pytest.raises(Conflict, match="totp_on"):
            refused(opened.token)
    _refused(staff, "", "code_required")
    _refused(staff, "", "sign_in_failed", password="a wrong and long password")
    assert staff.sign_in("ben", code=phone.code(world, 1)).person.login == "ben"


def _refused(staff: Staff, code: str, why: str, password: str = PASSWORD) -> None:
    with pytest.raises(Unauthenticated) as refused:
        staff.sign_in("ben", password, code)
    assert refused.value.code == why


def test_no_code_counts_twice_and_none_from_before_one_that_was_used(
    staff: Staff, account: OwnAccount, world: World
) -> None:
    opened = staff.sign_in(staff.person("ben"))
    phone = Phone(account.begin_totp(opened.token))
    recovery = account.confirm_totp(opened.token, phone.code(world))
    code, earlier = phone.code(world, 1), phone.code(world)
    assert staff.sign_in("ben", code=f"{code[:3]} {code[3:]}").person.login == "ben"
    for number, wrong in enumerate((code, earlier, "²³²³²³", "12345", "1234567", "\x00")):
        with pytest.raises(Unauthenticated, match="sign_in_failed"):
            staff.sign_in("ben", code=wrong, address=f"198.51.100.{number + 10}")
    assert staff.sign_in("ben", code=recovery[0].upper(), address="198.51.100.2").person.login == "ben"
    for used in (recovery[0], "never-a-code"):
        with pytest.raises(Unauthenticated, match="sign_in_failed"):
            staff.sign_in("ben", code=used, address="198.51.100.2")
    assert staff.sign_in("ben", code=recovery[1], address="198.51.100.2").person.login == "ben"


def test_the_host_takes_a_lost_authenticator_away(staff: Staff, account: OwnAccount, world: World) -> None:
    opened = staff.sign_in(staff.person("ben"))
    account.confirm_totp(opened.token, Phone(account.begin_totp(opened.token)).code(world))
    world.app.people.manage.remove_totp("ben")
    assert staff.sign_in("ben").person.codes_since is None


def test_what_is_kept_of_an_authenticator_is_sealed_for_its_person(
    staff: Staff, account: OwnAccount, world: World
) -> None:
    opened = staff.sign_in(staff.person("ben"))
    address = account.begin_totp(opened.token)
    found = account.people.by_id(opened.person.id)
    assert found is not None
    sealed = found[1].code_secret
    assert sealed is not None
    assert account.codes.address(sealed, found[0]) == address
    cleo = world.app.people.manage.named(staff.person("cleo"))
    with pytest.raises(Exception, match=r"^$"):
        account.codes.address(sealed, cleo)


def test_a_password_is_changed_by_who_knows_it_and_other_sessions_end(
    staff: Staff, account: OwnAccount, world: World
) -> None:
    opened, other = staff.sign_in(staff.person("ben")), staff.sign_in("ben")
    with pytest.raises(Unauthenticated, match="sign_in_failed"):
        account.change_password(opened.token, "not my password", "another walk to Friday")
    with pytest.raises(Invalid) as refused:
        account.change_password(opened.token, PASSWORD, "ben12345678901")
    assert refused.value.errors[0].code == "password_guessable"
    account.change_password(opened.token, PASSWORD, "another walk to Friday")
    assert world.app.people.sessions.of(opened.token).person.login == "ben"
    with pytest.raises(Unauthenticated, match="session_over"):
        world.app.people.sessions.of(other.token)
    assert staff.sign_in("ben", "another walk to Friday").person.login == "ben"


def test_a_person_sees_their_sessions_and_ends_one(staff: Staff, account: OwnAccount, world: World) -> None:
    sessions = world.app.people.sessions
    opened, other = staff.sign_in(staff.person("ben")), staff.sign_in("ben")
    stranger = staff.sign_in(staff.person("cleo"))
    ben = opened.person
    assert [one.id for one in sessions.all_of(ben)] == [other.session.id, opened.session.id]
    with pytest.raises(NotFound, match="session_not_found"):
        sessions.end_one(ben, stranger.session.id)
    sessions.end_one(ben, other.session.id)
    assert [one.id for one in sessions.all_of(ben)] == [opened.session.id]
    assert [one.succeeded for one in account.sign_ins(ben)] == [True, True]


def test_a_session_ends_by_itself_when_unused_and_when_old(new_world: Callable[..., World]) -> None:
    world = new_world(clock=True)
    staff, sessions = Staff(world), world.app.people.sessions
    idle, used = staff.sign_in(staff.person("ben")), staff.sign_in("ben")
    for minutes in range(25, 12 * 60, 25):
        world.advance(60 * minutes)
        assert sessions.of(used.token).person.login == "ben"
        assert sessions.all_of(used.person)[0].id == used.session.id
    with pytest.raises(Unauthenticated, match="session_over"):
        sessions.of(idle.token)
    assert sessions.of(used.token).over_at == used.session.created_at + timedelta(hours=12)
    world.advance(12 * 3600 + 60)
    with pytest.raises(Unauthenticated, match="session_over"):
        sessions.of(used.token)
    assert sessions.all_of(used.person) == ()


def test_what_needs_it_is_done_only_by_who_has_just_proved_who_they_are(
    new_world: Callable[..., World],
) -> None:
    """ASVS V7.5.1, V7.5.3."""
    world = new_world(clock=True)
    staff, people = Staff(world), world.app.people
    opened = staff.sign_in(staff.person("ben"))
    assert people.sessions.of(opened.token).confirmed
    world.advance(600)
    assert not people.sessions.of(opened.token).confirmed
    for refused in (
        people.account.begin_totp,
        people.account.remove_totp,
        lambda token: people.account.confirm_totp(token, "123456"),
    ):
        with pytest.raises(Forbidden, match="confirmation_needed"):
            refused(opened.token)
    with pytest.raises(Unauthenticated, match="sign_in_failed"):
        people.sessions.confirm(opened.token, "not my password", "")
    assert people.sessions.confirm(opened.token, PASSWORD, "").confirmed
    people.account.remove_totp(opened.token)
