"""Unknown, wrong, disabled and without a password take the same steps, so that the time tells nothing: case 185."""

from dataclasses import dataclass, field, replace

import pytest

from governor.domain.errors import TooManyTries, Unauthenticated
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
