from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from governor.domain.credentials import Credential, Kind, Role
from governor.domain.errors import Invalid
from governor.domain.people import (
    How,
    Lifetimes,
    Person,
    Session,
    check_password,
    checked_login,
    checked_name,
    code_steps,
    live_members,
)
from governor.domain.tries import (
    ADDRESS,
    FORGOTTEN_AFTER,
    LOGIN,
    LOGIN_FROM_ADDRESS,
    Allowance,
    Tries,
    neighbourhood,
    one_more,
)

NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)
LIFETIMES = Lifetimes(idle=timedelta(minutes=30), whole=timedelta(hours=12))
PERSON = Person("usr_1", "ada", "Ada", NOW)


def _session(*, seen: timedelta = timedelta(0), ended: timedelta | None = None) -> Session:
    ended_at = None if ended is None else NOW + ended
    return Session("ses_1", "usr_1", How.PASSWORD, "192.0.2.1", NOW, NOW + seen, NOW, ended_at)


MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


@pytest.mark.parametrize(
    ("seen", "later", "live"),
    [
        (0 * HOUR, 0 * HOUR, True),
        (0 * HOUR, 30 * MINUTE - MINUTE / 60, True),
        (0 * HOUR, 30 * MINUTE, False),
        (HOUR, HOUR + 29 * MINUTE, True),
        (HOUR, HOUR + 30 * MINUTE, False),
        (12 * HOUR - MINUTE, 12 * HOUR - MINUTE / 60, True),
        (12 * HOUR - MINUTE, 12 * HOUR, False),
    ],
)
def test_a_session_lives_while_it_is_used_and_never_longer_than_a_day(
    seen: timedelta, later: timedelta, live: bool
) -> None:
    session = _session(seen=seen)
    assert LIFETIMES.live(session, PERSON, NOW + later) is live
    assert (NOW + later < LIFETIMES.over_at(session)) is live


def test_a_session_that_was_ended_or_whose_person_is_disabled_is_over() -> None:
    ended = _session(ended=MINUTE)
    assert not LIFETIMES.live(ended, PERSON, NOW)
    assert LIFETIMES.over_at(ended) == NOW + MINUTE
    disabled = Person("usr_1", "ada", "Ada", NOW, disabled_at=NOW)
    assert not LIFETIMES.live(_session(), disabled, NOW)


@pytest.mark.parametrize("login", ["ada", "a1", "0x", "ada.l-1_x", "a" * 64])
def test_a_login_of_the_alphabet_is_kept_as_it_is(login: str) -> None:
    assert checked_login(login) == login


@pytest.mark.parametrize("login", ["", "a", "Ada", ".ada", "-ada", "_ada", "ad a", "adá", "ada\n", "a" * 65])
def test_any_other_login_is_refused(login: str) -> None:
    with pytest.raises(Invalid):
        checked_login(login)


@pytest.mark.parametrize("name", ["", " ", "a\nb", "a\x00b", "x" * 129])
def test_a_name_is_one_line_for_people(name: str) -> None:
    with pytest.raises(Invalid):
        checked_name(name)


@pytest.mark.parametrize(
    "password",
    [
        "a long walk to Wednesday",
        "correct horse battery staple",
        "ein langer Weg nach Süden",
        "ひらがなカタカナ漢字とかなも",
        "qT7#mB2!xV9$",
        "x9f2" * 32,
        " spaces at both ends ",
    ],
)
def test_length_is_what_a_password_needs(password: str) -> None:
    check_password(password, "ada", "Ada Lovelace")


@pytest.mark.parametrize(
    ("password", "why"),
    [
        ("", "password_too_short"),
        ("qT7#mB2!xV9", "password_too_short"),
        ("x" * 129, "password_too_long"),
        ("aaaaaaaaaaaa", "password_guessable"),
        ("abababababab", "password_guessable"),
        ("123456789012", "password_guessable"),
        ("abcdefghijklm", "password_guessable"),
        ("passwordpassword", "password_guessable"),
        ("P@ssw0rd1234", "password_guessable"),
        ("Password2026!", "password_guessable"),
        ("governor1234", "password_guessable"),
        ("AdaLovelace1", "password_guessable"),
        ("lovelaceada!!", "password_guessable"),
        ("qwertyuiop12", "password_guessable"),
    ],
)
def test_a_password_that_is_tried_first_is_refused(password: str, why: str) -> None:
    with pytest.raises(Invalid) as refused:
        check_password(password, "ada", "Ada Lovelace")
    assert [(one.pointer, one.code) for one in refused.value.errors] == [("/password", why)]
    assert password not in str(refused.value) or not password


def test_the_codes_of_now_and_its_neighbours_count_once() -> None:
    step = int(NOW.timestamp()) // 30
    assert set(code_steps(NOW, 0)) == {step - 1, step, step + 1}
    assert set(code_steps(NOW + timedelta(seconds=29), 0)) == {step - 1, step, step + 1}
    assert set(code_steps(NOW + timedelta(seconds=30), 0)) == {step, step + 1, step + 2}
    assert code_steps(NOW, step) == (step + 1,)
    assert code_steps(NOW, step + 1) == ()


def test_a_membership_counts_while_it_is_neither_revoked_nor_expired_nor_suspended() -> None:
    live = Credential(
        id="cred_1",
        environment="test",
        name="Ada",
        role=Role.AGENT,
        kind=Kind.HUMAN,
        owner="ada",
        agent="ada",
        parent=None,
        created_at=NOW,
        expires_at=NOW + HOUR,
        revoked_at=None,
        person="usr_1",
    )
    dead = [replace(live, expires_at=NOW), replace(live, revoked_at=NOW), replace(live, suspended_at=NOW)]
    assert live_members((live, *dead), NOW) == (live,)


def test_wrong_tries_wait_twice_as_long_each_time_and_never_too_long() -> None:
    allowance = Allowance(free=3, longest_wait=timedelta(seconds=50))
    waits = [
        (allowance.next_at(Tries(count, NOW)) - NOW).total_seconds()
        for count in (0, 1, 2, 3, 4, 5, 6, 7, 8, 99)
    ]
    assert waits == [0, 0, 0, 4, 8, 16, 32, 50, 50, 50]


def test_tries_are_forgotten_after_a_pause_and_not_before() -> None:
    tries = Tries(7, NOW)
    assert one_more(tries, NOW + FORGOTTEN_AFTER) == Tries(8, NOW + FORGOTTEN_AFTER)
    later = NOW + FORGOTTEN_AFTER + timedelta(seconds=1)
    assert one_more(tries, later) == Tries(1, later)


def test_who_guesses_from_everywhere_does_not_lock_anybody_out_for_long() -> None:
    assert LOGIN.longest_wait <= timedelta(minutes=1)
    assert LOGIN_FROM_ADDRESS.free < LOGIN.free < ADDRESS.free
    assert max(one.longest_wait for one in (LOGIN, LOGIN_FROM_ADDRESS, ADDRESS)) < FORGOTTEN_AFTER


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.1", "192.0.2.1"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::ffff:192.0.2.1", "192.0.2.1"),
        ("", ""),
        ("nowhere", "nowhere"),
    ],
)
def test_who_has_a_whole_network_of_addresses_has_one_allowance(address: str, counted: str) -> None:
    assert neighbourhood(address) == counted
