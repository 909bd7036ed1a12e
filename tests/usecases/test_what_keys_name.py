"""What an operation key names, verb by verb, word for word.

Keys outlive upgrades: whoever repeats after one what they asked before it is understood only if its fingerprint is made
of the same. So nothing that is said here may change. What a draft learns to say has a default, and then adds nothing.

Pinned from the first operation on: all but credentials and memberships, whose keys named a spelling of Python's at first
and are pinned from the second release on (docs/decisions.md).
"""

import ast
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone

import pytest
from sqlalchemy import text

from governor.domain.canonical import digest
from governor.domain.credentials import Role
from governor.usecases.operations import asked_of
from tests.architecture.tree import ROOT
from tests.builders import World, ask
from tests.fakes.provider import FakeProvider
from tests.usecases import keyed_requests as about_requests
from tests.usecases import keyed_settings as about_settings
from tests.usecases.keyed_requests import KEY, Named, Stage
from tests.usecases.people import Staff

VERBS: dict[Callable[[Stage], Named], str] = {
    about_requests.cancel: "cancel_refund",
    about_requests.nudge: "nudge_approvers",
    about_requests.answer: "answer_question",
    about_requests.decision: "decide_hold",
    about_requests.take_back: "take_back",
    about_requests.escalation: "hold_attention",
    about_requests.resolution: "resolve_unknown",
    about_settings.freeze: "freeze",
    about_settings.unfreeze: "freeze",
    about_settings.limit: "change_limit",
    about_settings.confirmation: "confirm_limit_change",
    about_settings.withdrawal: "confirm_limit_change",
    about_settings.rule: "change_rule",
    about_settings.credential: "manage_credentials",
    about_settings.approvers_credential: "manage_credentials",
    about_settings.rotation: "manage_credentials",
    about_settings.membership: "grant_membership",
    about_settings.stand_in: "stand_ins",
    about_settings.endpoint: "manage_endpoints",
    about_settings.endpoint_rotation: "manage_endpoints",
    about_settings.endpoint_test: "manage_endpoints",
    about_settings.replay: "manage_endpoints",
    about_settings.run: "run_long_work",
}
"""Every verb with a key that is no refund request, and the module whose it is."""


@pytest.fixture
def stage(new_world: Callable[..., World]) -> Stage:
    world = new_world(provider=FakeProvider(), undo_seconds=60)
    world.limit(1_000_000, approval_above=1000)
    staff = Staff(world)
    staff.person("ben", Role.APPROVER)
    ben = staff.caller(staff.sign_in("ben"), Role.APPROVER)
    return Stage(world, world.operator, world.caller(), ben)


def test_a_key_names_what_was_asked_and_nothing_else(stage: Stage) -> None:
    for verb in VERBS:
        scope, asked = verb(stage)
        with stage.world.app.store.reading() as reads:
            kept = reads.operation(stage.world.environment, scope, KEY)
        assert (verb.__name__, kept and kept.fingerprint) == (verb.__name__, digest(asked))


def test_no_verb_with_a_key_is_forgotten_here() -> None:
    """The modules that remember keys are the ones whose verbs are tried."""
    remembering = {
        path.stem
        for path in (ROOT / "governor" / "usecases").glob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom) and node.module == "governor.usecases.operations"
        if "remember" in {one.name for one in node.names}
    }
    assert remembering == set(VERBS.values())


def test_a_refund_requests_key_names_all_that_was_asked(world: World) -> None:
    world.limit(10_000)
    payment = world.payment()
    asked = ask(payment, 700, reason="duplicate", case="ZD-7", note="twice")
    world.app.request_refund(world.caller(), asked, KEY, 5000)
    with world.app.engine.connect() as connection:
        kept = connection.execute(text("SELECT fingerprint FROM refund_requests")).scalar_one()
    said = {"payment": payment, "amount_minor": 700, "currency": "usd", "reason": "duplicate", "case": "ZD-7"}
    assert kept == digest({**said, "note": "twice", "duplicate_of": None, "expected_refundable": 5000})


@dataclass(frozen=True)
class Before:
    """A draft before an upgrade."""

    name: str
    value: str | None


@dataclass(frozen=True)
class After(Before):
    """The same after it has learnt to say more."""

    careful: bool = False
    people: tuple[str, ...] = ()


def test_what_a_draft_has_learnt_to_say_adds_nothing_until_it_is_said() -> None:
    before = asked_of(Before("a", None))
    assert asked_of(After("a", None)) == before == {"name": "a", "value": None}
    assert asked_of(After("a", None, careful=True)) == {**before, "careful": True}
    assert asked_of(After("a", None, people=("lea",))) == {**before, "people": ["lea"]}


def test_the_same_moment_is_the_same_in_every_zone() -> None:
    @dataclass(frozen=True)
    class Draft:
        at: datetime

    noon = datetime(2030, 5, 4, 12, tzinfo=UTC)
    there = noon.astimezone(timezone(timedelta(hours=9)))
    assert asked_of(Draft(noon)) == asked_of(Draft(there)) == {"at": "2030-05-04T12:00:00Z"}
