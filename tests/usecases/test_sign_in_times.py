"""What happens between a password and a session: the same steps for whatever is wrong (case 185), and nothing else."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import pytest

from governor.domain.errors import TooManyTries, Unauthenticated
from governor.domain.tries import ADDRESS
from governor.ports.people import Passwords
from tests.builders import World
from tests.usecases.people import PASSWORD, Staff


@dataclass
class Counted:
    """Real passwords, and how often one was looked at and what was compared with."""

    real: Passwords
    looks: list[bool] = field(default_factory=list)

    def keep(self, password: str) -> str:
        return self.real.keep(password)

    def match(self, password: str, kept: str | None) -> bool:
        self.looks.append(kept is not None)
        return self.real.match(password, kept)

    def outdated(self, kept: str) -> bool:
        return self.real.outdated(kept)


def test_every_refusal_looks_at_one_password_and_is_written_down_once(world: World) -> None:
    staff, manage = Staff(world), world.app.people.manage
    staff.person("ben")
    staff.person("dora")
    manage.disable("dora")
    manage.create("lea", "Lea", None)
    prove = world.app.people.sign_in.prove
    counted = Counted(prove.passwords)
    prove = replace(prove, passwords=counted)
    for number, (login, password) in enumerate(
        [
            ("ben", "a wrong and long password"),
            ("nobody", PASSWORD),
            ("dora", PASSWORD),
            ("lea", PASSWORD),
            ("no login", PASSWORD),
            ("ben", PASSWORD * 9),
        ]
    ):
        with pytest.raises(Unauthenticated) as refused:
            prove(login, password, "", f"192.0.2.{number}")
        assert str(refused.value) == "sign_in_failed: The login, the password or the code is wrong."
    assert counted.looks == [True, False, True, False, False, True]
    people = prove.people
    written = [
        len(people.sign_ins(who)) for who in ("", *(manage.named(one).id for one in ("ben", "dora", "lea")))
    ]
    assert written == [2, 2, 1, 1]


def test_who_has_to_wait_is_answered_without_a_look_whether_right_or_wrong(world: World) -> None:
    """A look costs 19 MiB and some 30 ms: a flood of tries must not buy it."""
    Staff(world).person("ben")
    prove = world.app.people.sign_in.prove
    counted = Counted(prove.passwords)
    now = world.app.store.now()
    prove = replace(prove, passwords=counted, now=lambda: now)
    told = set()
    for _ in range(5):
        with pytest.raises(Unauthenticated):
            prove("ben", "a wrong and long password", "", "192.0.2.1")
    for password in ("a wrong and long password", PASSWORD):
        with pytest.raises(TooManyTries) as slowed:
            prove("ben", password, "", "192.0.2.1")
        told.add(str(slowed.value))
    assert told == {"too_many_tries: Too many tries went wrong; wait a little."}
    assert len(counted.looks) == 5


def test_many_people_come_in_from_one_address(world: World) -> None:
    """Only wrong tries are left standing there, or a whole office would have to wait in the morning."""
    staff = Staff(world)
    staff.person("ben")
    now = world.app.store.now()
    prove = replace(world.app.people.sign_in.prove, now=lambda: now)
    for _ in range(ADDRESS.free + 5):
        assert prove("ben", PASSWORD, "", "192.0.2.1").login == "ben"


@dataclass
class Overtaken(Counted):
    """Something happens right after the password was found to be right."""

    then: Callable[[], object] = lambda: None

    def match(self, password: str, kept: str | None) -> bool:
        right = super().match(password, kept)
        self.then()
        return right


@pytest.mark.parametrize("what", ["another password", "disabled"])
def test_a_sign_in_that_is_overtaken_opens_nothing(world: World, what: str) -> None:
    """A session that began with what was true before must not outlive the end of all sessions."""
    staff, people = Staff(world), world.app.people
    staff.person("ben")

    def change() -> None:
        if what == "another password":
            people.manage.set_password("ben", "another walk to Friday")
        else:
            people.manage.disable("ben")

    slow = replace(people.sign_in.prove, passwords=Overtaken(people.sign_in.prove.passwords, then=change))
    with pytest.raises(Unauthenticated, match="sign_in_failed"):
        replace(people.sign_in, prove=slow).with_password("ben", PASSWORD, "", "192.0.2.1")
    people.manage.enable("ben")
    assert people.sessions.all_of(people.manage.named("ben")) == ()


@pytest.mark.parametrize("what", ["another password", "disabled"])
def test_who_knew_the_old_password_does_not_undo_what_the_host_does_meanwhile(
    world: World, what: str
) -> None:
    """Their change was proved with what was true before: it must not overwrite what locks them out."""
    staff, people = Staff(world), world.app.people
    staff.person("ben")
    token = staff.sign_in("ben").token

    def change() -> None:
        if what == "another password":
            people.manage.set_password("ben", "another walk to Friday")
        else:
            people.manage.disable("ben")

    slow = replace(people.account.prove, passwords=Overtaken(people.account.prove.passwords, then=change))
    with pytest.raises(Unauthenticated, match="sign_in_failed"):
        replace(people.account, prove=slow).change_password(token, PASSWORD, "a walk of an intruder")
    people.manage.enable("ben")
    with pytest.raises(Unauthenticated, match="sign_in_failed"):
        staff.sign_in("ben", "a walk of an intruder")
    stands = "another walk to Friday" if what == "another password" else PASSWORD
    assert staff.sign_in("ben", stands).person.login == "ben"


@dataclass
class Dearer(Overtaken):
    """Passwords are kept more dearly than they were."""

    def outdated(self, kept: str) -> bool:
        return bool(kept)


def test_keeping_a_password_more_dearly_does_not_bring_back_one_that_was_replaced(world: World) -> None:
    staff, people = Staff(world), world.app.people
    staff.person("ben")

    def change() -> None:
        people.manage.set_password("ben", "another walk to Friday")

    slow = replace(people.sign_in.prove, passwords=Dearer(people.sign_in.prove.passwords, then=change))
    with pytest.raises(Unauthenticated, match="sign_in_failed"):
        replace(people.sign_in, prove=slow).with_password("ben", PASSWORD, "", "192.0.2.1")
    with pytest.raises(Unauthenticated, match="sign_in_failed"):
        staff.sign_in("ben")
    assert staff.sign_in("ben", "another walk to Friday").person.login == "ben"


def test_a_right_password_is_kept_more_dearly_from_then_on(world: World) -> None:
    staff, people = Staff(world), world.app.people
    staff.person("ben")
    before = people.manage.people.by_login("ben")
    prove = replace(people.sign_in.prove, passwords=Dearer(people.sign_in.prove.passwords))
    opened = replace(people.sign_in, prove=prove).with_password("ben", PASSWORD, "", "192.0.2.1")
    assert opened.person.login == "ben"
    after = people.manage.people.by_login("ben")
    assert before is not None
    assert after is not None
    assert before[1].password_hash != after[1].password_hash
    assert staff.sign_in("ben").person == before[0]
