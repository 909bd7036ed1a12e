"""What people do at the same moment."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from threading import Thread

from sqlalchemy import text

from adapters.sql import people_statements as statements
from governor.domain.credentials import Role
from governor.domain.people import How, Person, Session
from governor.domain.tries import LOGIN_FROM_ADDRESS
from governor.domain.windows import BEGINNING
from governor.ports.identity import Identity
from governor.usecases.people import People
from tests.builders import World
from tests.stack import eventually
from tests.usecases.people import Staff

AT_ONCE = 24
ISSUER = "https://idp.example"


def _person(people: People, login: str = "ben") -> Person:
    return people.manage.create(login, login.title(), None)


def _identity(proved_at: datetime) -> Identity:
    return Identity(ISSUER, "ben", "ben", "Ben", (), proved_at, "7" * 64)


def test_tries_at_the_same_moment_are_all_counted(world: World) -> None:
    """RELIABILITY case 185: asking in parallel buys no try."""
    people, now = world.app.people.sessions.people, world.app.store.now()
    with ThreadPoolExecutor(AT_ONCE) as threads:
        answers = list(
            threads.map(
                lambda _: people.count_try(
                    {"both:1": LOGIN_FROM_ADDRESS, "address:1": LOGIN_FROM_ADDRESS}, now
                ),
                range(AT_ONCE),
            )
        )
    assert answers.count(None) == LOGIN_FROM_ADDRESS.free
    assert all(answer is None or answer > now for answer in answers)


def test_one_code_opens_one_door(world: World) -> None:
    people = world.app.people.sessions.people
    ben = _person(world.app.people)
    people.set_codes(ben.id, b"sealed", world.app.store.now(), ["one", "two"])
    with ThreadPoolExecutor(AT_ONCE) as threads:
        steps = list(threads.map(lambda _: people.use_step(ben.id, 7), range(AT_ONCE)))
        codes = list(threads.map(lambda _: people.use_recovery(ben.id, "one"), range(AT_ONCE)))
    assert (steps.count(True), codes.count(True)) == (1, 1)
    assert people.use_recovery(ben.id, "two")


def test_one_trip_leads_to_one_session_and_one_identity_to_one_person(world: World) -> None:
    people, now = world.app.people.sessions.people, world.app.store.now()
    ben, cleo = _person(world.app.people), _person(world.app.people, "cleo")

    def arrive(number: int) -> bool:
        session = Session(f"ses_{number}", ben.id, How.OIDC, "192.0.2.1", now, now, now)
        return people.add_session(session, ben, f"{number:064d}", _identity(now))

    def link(number: int) -> bool:
        return people.link((ben, cleo)[number % 2].id, ISSUER, "another", now)

    people.link(ben.id, ISSUER, "ben", now)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        arrived = list(threads.map(arrive, range(AT_ONCE)))
        linked = list(threads.map(link, range(AT_ONCE)))
    assert (arrived.count(True), linked.count(True)) == (1, 1)


def test_an_identity_that_is_taken_back_while_somebody_comes_by_it_opens_nothing(world: World) -> None:
    """Whoever comes waits for whoever takes it back, and sees what that has done."""
    people, now = world.app.people.sessions.people, world.app.store.now()
    ben = _person(world.app.people)
    people.link(ben.id, ISSUER, "ben", now)
    session = Session("ses_1", ben.id, How.OIDC, "192.0.2.1", now, now, now)
    with ThreadPoolExecutor(1) as threads:
        with world.app.engine.begin() as connection:
            connection.execute(statements.HOLD_PERSON, {"person": ben.id})
            coming = threads.submit(people.add_session, session, ben, "1" * 64, _identity(now))
            eventually(lambda: _somebody_waits(world), lambda: "nobody waits for the person")
            connection.execute(statements.UNLINK, {"person": ben.id})
        assert not coming.result()
    assert people.sessions(ben.id, BEGINNING) == ()


def test_whoever_comes_by_an_identity_as_it_is_taken_back_is_signed_out_or_not_in(world: World) -> None:
    people, now = world.app.people.sessions.people, world.app.store.now()
    ben = _person(world.app.people)
    for number in range(AT_ONCE):
        people.link(ben.id, ISSUER, "ben", now)
        session = Session(f"ses_{number}", ben.id, How.OIDC, "192.0.2.1", now, now, now)
        trip = replace(_identity(now), trip=f"{number:064d}")
        with ThreadPoolExecutor(2) as threads:
            coming = threads.submit(people.add_session, session, ben, f"{number:064d}", trip)
            threads.submit(people.unlink, ben.id, now).result()
            coming.result()
        assert people.sessions(ben.id, BEGINNING) == ()


def test_whoever_signs_in_from_two_places_at_once_waits_and_for_nobody_who_waits(world: World) -> None:
    people, now = world.app.people.sessions.people, world.app.store.now()
    places = [f"place:{n}" for n in range(6)]

    def both(number: int) -> None:
        mine = places if number % 2 else places[::-1]
        people.count_try(dict.fromkeys(mine, LOGIN_FROM_ADDRESS), now)
        people.forget_tries(mine[1:], mine[0])

    with ThreadPoolExecutor(AT_ONCE) as threads:
        assert list(threads.map(both, range(10 * AT_ONCE))) == [None] * (10 * AT_ONCE)


def test_two_sign_ups_with_one_login_make_one_person(world: World) -> None:
    people, now = world.app.people.sessions.people, world.app.store.now()

    def add(number: int) -> bool:
        return people.add(Person(f"usr_{number}", "ben", "Ben", now), None)

    with ThreadPoolExecutor(AT_ONCE) as threads:
        assert list(threads.map(add, range(AT_ONCE))).count(True) == 1


def test_whoever_is_disabled_has_decided_before_it_or_not_at_all(world: World) -> None:
    """RELIABILITY §3 B11: a decision that is under way holds the line that the end of their rights waits for."""
    staff = Staff(world)
    member = staff.member(staff.person("ben"), Role.APPROVER)
    disabling = Thread(target=world.app.people.manage.disable, args=("ben",))
    with world.app.store.environment(world.environment) as tx:
        disabling.start()
        eventually(lambda: _somebody_waits(world), lambda: "nobody waits for the line")
        assert tx.credential_chains(world.environment, [member.id])[member.id][0].suspended_at is None
    disabling.join()
    with world.app.store.environment(world.environment) as tx:
        assert tx.credential_chains(world.environment, [member.id])[member.id][0].suspended_at is not None


def _somebody_waits(world: World) -> bool:
    with world.app.engine.connect() as connection:
        waiting = connection.execute(text("SELECT count(*) FROM pg_locks WHERE NOT granted")).scalar_one()
    return int(waiting) > 0
