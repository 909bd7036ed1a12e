"""Each kind of run does what its use case does when somebody waits for it, and keeps what it found."""

import csv
import io
import json
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from governor.domain.credentials import Kind, Role
from governor.domain.errors import Forbidden, Invalid
from governor.domain.lifecycle import State
from governor.domain.runs import Progress, Run, RunState
from governor.usecases.callers import Caller
from governor.usecases.verify_trail import verify_file
from tests.builders import World, fresh_key
from tests.fakes.provider import LOST, FakeProvider
from tests.usecases.long_work import never

LIMIT = {"scope": "environment", "measure": "amount", "currency": "usd", "window": "day", "cap": 2_000}
KINDS = {"reconcile", "export_trail", "verify_trail", "look_again", "simulate_policy"}


@pytest.fixture
def provider() -> FakeProvider:
    return FakeProvider()


@pytest.fixture
def here(new_world: Callable[..., World], provider: FakeProvider) -> World:
    world = new_world(provider=provider)
    world.limit(10_000)
    return world


def asked(
    world: World, kind: str, parameters: Mapping[str, Any] | None = None, caller: Caller | None = None
) -> Run:
    """Ask, carry out, and look."""
    runs = world.app.long_work.runs
    run, _ = runs.begin(caller or world.operator, kind, parameters or {}, fresh_key("run"))
    world.app.long_work.carry_out(never)
    return runs.look(world.operator, run.id)


def taken(world: World, run: Run, name: str) -> bytes:
    return b"".join(world.app.long_work.runs.content(world.operator, run.id, name)[1])


def test_reconciling_catches_up_first_and_keeps_every_line(here: World, provider: FakeProvider) -> None:
    request = here.request(here.caller(), payment := here.payment(5000), 1500)
    here.drain(request)
    elsewhere = provider.refund_elsewhere(payment, 700)
    run = asked(here, "reconcile", {"currency": "usd"})
    assert run.state is RunState.DONE, run.reason
    assert run.summary is not None
    assert run.summary["totals"]["exposure"] == {"held": 0, "settled": 2200}
    assert run.summary["lines"] == 2
    assert run.summary["explanations"] == {"matches": 1, "ungoverned": 1}
    assert (run.summary["unexplained"], run.summary["unexplained_lines"]) == (0, [])
    lines = [json.loads(line) for line in taken(here, run, "reconciliation-usd.ndjson").splitlines()]
    assert [(line["refund_request"], line["refunds"]) for line in lines] == [
        (request.id, [refund.id for refund in provider.executed(payment) if refund.id != elsewhere.id]),
        (None, [elsewhere.id]),
    ]
    rows = list(csv.DictReader(io.StringIO(taken(here, run, "reconciliation-usd.csv").decode())))
    assert [row["explanation"] for row in rows] == ["matches", "ungoverned"]


def test_what_is_left_out_is_said_when_it_is_asked_for(here: World) -> None:
    run = asked(here, "reconcile", {"currency": "usd", "to": "2026-11-30", "ask_provider": False})
    assert run.parameters == {
        "ask_provider": False,
        "currency": "usd",
        "from": "2026-10-31T00:00:00+00:00",
        "to": "2026-11-30T00:00:00+00:00",
    }


@pytest.mark.parametrize(
    ("kind", "parameters", "pointer"),
    [
        ("reconcile", {}, "/currency"),
        ("reconcile", {"currency": "USD"}, "/currency"),
        ("reconcile", {"currency": "usd", "from": "yesterday"}, "/from"),
        ("reconcile", {"currency": "usd", "from": 20261101}, "/from"),
        ("reconcile", {"currency": "usd", "to": "2026-11-01T00:00:00"}, "/to"),
        ("reconcile", {"currency": "usd", "from": "2026-11-02", "to": "2026-11-01"}, "/to"),
        ("reconcile", {"currency": "usd", "ask_provider": 1}, "/ask_provider"),
        ("reconcile", {"currency": "usd", "form": "2026-11-02"}, "/form"),
        ("export_trail", {"format": "xml"}, "/format"),
        ("export_trail", {"from": "0"}, "/from"),
        ("verify_trail", {"to": [1]}, "/to"),
        ("verify_trail", {"format": "csv"}, "/format"),
        ("look_again", {"request": "rr_1"}, "/request"),
        ("simulate_policy", {"days": 91}, "/days"),
        ("simulate_policy", {"days": "30"}, "/days"),
        ("simulate_policy", {"csv": "id"}, "/csv"),
        ("simulate_policy", {"rules": [{"name": "x", "when": {}}]}, "/rules/0/then"),
        ("simulate_policy", {"limits": 5}, "/limits"),
        ("simulate_policy", {"limits": [LIMIT | {"currency": None}]}, "/limits/0/currency"),
    ],
)
def test_what_cannot_be_used_is_refused_before_anything_waits(
    here: World, kind: str, parameters: dict[str, Any], pointer: str
) -> None:
    with pytest.raises(Invalid) as refused:
        asked(here, kind, parameters)
    assert [error.pointer for error in refused.value.errors] == [pointer]
    assert here.app.long_work.runs.listed(here.operator, at_most=10) == ()


def test_an_exported_trail_is_verified_without_governor(here: World) -> None:
    here.request(here.caller(), here.payment(5000), 1500)
    run = asked(here, "export_trail", caller=here.caller(Role.AUDITOR, "auditor", kind=Kind.HUMAN))
    assert run.state is RunState.DONE, run.reason
    verdict = verify_file(taken(here, run, "audit.ndjson").splitlines(keepends=True))
    assert verdict.broken is None
    assert run.summary is not None
    assert (run.summary["first"], run.summary["last"]) == (1, verdict.last)
    assert verdict.last >= 4


def test_a_trail_as_csv_has_its_manifest_beside_it(here: World) -> None:
    run = asked(here, "export_trail", {"format": "csv", "from": "1", "to": "2"})
    rows = list(csv.DictReader(io.StringIO(taken(here, run, "audit.csv").decode())))
    assert [row["seq"] for row in rows] == ["1", "2"]
    manifest = json.loads(taken(here, run, "audit.csv.manifest"))["manifest"]
    assert run.summary == manifest
    assert manifest["sha256"] == run.files[0].sha256


def test_a_trail_that_is_whole_is_found_whole(here: World) -> None:
    run = asked(here, "verify_trail")
    assert run.summary is not None
    assert (run.summary["intact"], run.summary["first"]) == (True, 1)
    assert run.progress == Progress("reading the audit trail", run.summary["last"], run.summary["last"])


def test_bounds_with_nothing_between_them_fail_and_say_so(here: World) -> None:
    run = asked(here, "verify_trail", {"from": "900"})
    assert (run.state, run.reason) == (RunState.FAILED, "period_empty")


def _in_doubt(world: World, provider: FakeProvider, *, executed: bool) -> str:
    request = world.request(world.caller(name=fresh_key("agent")), world.payment(5000), 1500)
    if executed:
        provider.lose_next_reply()
    else:
        provider.answer_next(LOST)
    world.drain(request)
    assert world.now(request).state is State.UNKNOWN
    return request.id


def test_looking_again_asks_about_everything_on_the_desk_and_sends_nothing(
    here: World, provider: FakeProvider
) -> None:
    known = [_in_doubt(here, provider, executed=True) for _ in range(2)]
    lost = _in_doubt(here, provider, executed=False)
    orders = len(provider.orders)
    run = asked(here, "look_again")
    assert run.state is RunState.DONE, run.reason
    assert run.summary == {"looked_at": 3, "known_now": 2, "still_in_doubt": 1, "not_read": 0}
    states = {name: here.app.queries.request(here.operator, name).state for name in (*known, lost)}
    assert states == dict.fromkeys(known, State.SUCCEEDED) | {lost: State.UNKNOWN}
    assert len(provider.orders) == orders


def test_a_provider_that_does_not_answer_is_left_alone_and_asked_later(
    here: World, provider: FakeProvider
) -> None:
    for _ in range(6):
        _in_doubt(here, provider, executed=True)
    calls, provider.unavailable = len(provider.calls), True
    run = asked(here, "look_again")
    assert (run.state, run.tries) == (RunState.WAITING, 1)
    assert len(provider.calls) - calls == 5
    provider.unavailable = False


def test_an_auditor_cannot_make_anybody_look(here: World) -> None:
    with pytest.raises(Forbidden):
        asked(here, "look_again", caller=here.caller(Role.AUDITOR, "auditor", kind=Kind.HUMAN))


def test_a_report_that_is_too_long_keeps_its_counts_and_says_the_rest_in_its_file(here: World) -> None:
    """The summary of a run is bounded; twenty examples that look at many limits are not."""
    for number in range(20):
        here.request(here.caller(), here.payment(5000), 100 + number)
    many = [LIMIT | {"cap": number} for number in range(60)]
    run = asked(here, "simulate_policy", {"limits": many})
    assert run.state is RunState.DONE, run.reason
    assert run.summary is not None
    whole = json.loads(taken(here, run, "simulation.json"))
    assert whole["examples"][: len(run.summary["examples"])] == run.summary["examples"]
    assert 0 < len(run.summary["examples"]) < len(whole["examples"]) == 20
    assert {**whole, "examples": None} == {**run.summary, "examples": None}


def test_these_are_the_kinds(here: World) -> None:
    assert set(here.app.long_work.runs.works) == KINDS


def test_simulating_keeps_its_examples_in_a_file_and_the_rest_in_the_summary(here: World) -> None:
    here.request(here.caller(), here.payment(5000), 1500)
    rule = {"name": "none", "when": {}, "then": {"effect": "deny"}}
    run = asked(here, "simulate_policy", {"rules": [rule]})
    assert run.state is RunState.DONE, run.reason
    assert run.parameters == {"days": 30, "limits": None, "rules": [rule]}
    assert run.summary is not None
    assert run.summary["changes"] == [
        {"before": "let_through", "after": "denied", "count": 1, "sums": {"usd": 1500}}
    ]
    kept = json.loads(taken(here, run, "simulation.json"))
    (example,) = kept["examples"]
    assert (kept, example["rules"][0]["name"]) == (run.summary, "none")
