"""The auditor's reports: what each finds, what it leaves out, and the file that is taken home."""

from collections.abc import Callable
from typing import Any

import pytest

from governor.console.audit import reports
from governor.console.audit.report_kinds import KINDS
from governor.console.audit.report_lines import own_decisions
from governor.domain.approval import Choice
from governor.domain.credentials import Kind, Role
from governor.domain.environments import Mode
from governor.domain.limits import Scope
from governor.domain.pairs import MANY
from governor.domain.requests import RefundRequest
from governor.usecases import audit_reports
from governor.usecases.callers import Caller, host
from governor.usecases.change_environment import EnvironmentDraft
from tests.builders import World, fresh_key
from tests.console.browsing import Visitor
from tests.console.reading_reports import REPORTS, file_of, lines

OF_SOMEBODY: dict[str, Any] = {"scope": Scope.CUSTOMER, "value": "cus_somebody"}
"""Of a limit that binds nobody here."""


@pytest.fixture
def eve(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.AUDITOR)


@pytest.fixture(autouse=True, scope="module")
def _limit(world: World) -> None:
    world.limit(10_000_000, approval_above=100)


def _approved(world: World, asker: Caller, approver: Caller, amount: int = 700) -> RefundRequest:
    return world.decide(approver, world.request(asker, world.payment(), amount), Choice.APPROVE)


def test_a_pair_that_always_agrees_stands_out_and_leads_to_its_decisions(world: World, eve: Visitor) -> None:
    """RELIABILITY T30."""
    ana, bob = world.caller(name="ana", owner="Ana"), world.approver("bob", owner="Bob")
    others = [_approved(world, world.caller(owner="Cem"), world.approver("dora", owner="Dora"))]
    theirs = [_approved(world, ana, bob) for _ in range(MANY)]
    page = eve.get(f"{REPORTS}/four-eyes")
    line = next(one for one in lines(page) if one.startswith("Ana"))
    assert line == f"Ana Bob {MANY} 0 ${7 * MANY}.00 USD stands out Decisions"
    assert "stands out" not in next(one for one in lines(page) if one.startswith("Cem"))
    decisions = eve.get(f"{REPORTS}/decisions?asker=Ana&approver=Bob")
    assert f"{REPORTS}/decisions?asker=Ana&approver=Bob" in page.links
    assert len(lines(decisions)) == MANY
    assert all(f"/console/e/test/find?q={one.id}" in decisions.links for one in theirs)
    assert others[0].id not in decisions.html
    assert eve.get(f"/console/e/test/audit?object={theirs[0].id}&action=hold.decided").all(
        "li", class_="sheet"
    )


def test_the_file_of_pairs_says_the_same(world: World, eve: Visitor) -> None:
    _approved(world, world.caller(owner="=Eli"), world.approver("fay", owner="Fay"))
    seen = eve.get(f"{REPORTS}/four-eyes/csv")
    assert "attachment" in seen.response.headers["Content-Disposition"]
    line = next(one for one in file_of(seen) if one["approver"] == "Fay")
    assert line == {
        "asker": "'=Eli",
        "approver": "Fay",
        "approved": "1",
        "rejected": "0",
        "approved_amounts": "7.00 usd",
        "judgement": "",
    }


def test_a_deliberate_repetition_is_an_override(world: World, eve: Visitor) -> None:
    ana = world.caller(owner="Ana", kind=Kind.HUMAN)
    payment = world.payment(5000)
    first = world.request(ana, payment, 50)
    second = world.request(ana, payment, 50, duplicate_of=first.id, note="the customer paid twice")
    assert second.hold is not None
    newest = lines(eve.get(f"{REPORTS}/overrides"))[0]
    assert "A likely duplicate was asked for deliberately" in newest
    assert second.id in newest
    assert f"Ana {first.id}" in newest


def test_an_override_by_settings_names_all_that_was_let_go_and_nothing_that_stood_so_already(
    world: World, eve: Visitor
) -> None:
    def change(**fields: Any) -> None:
        here = world.app.queries.environment(world.operator)
        kept = {name: getattr(here, name) for name in EnvironmentDraft.__dataclass_fields__}
        world.app.change_environment(host("test"), EnvironmentDraft(**kept | fields), here.revision)

    try:
        change(raises_need_two=True, prove_above={"usd": 500})
        change(mode=Mode.OBSERVE)
        assert "Since then nothing is blocked test" in lines(eve.get(f"{REPORTS}/overrides"))[0]
        change(raises_need_two=False, prove_above={})
        both = "one person may raise limits and more is approved without a fresh proof of who it is"
        assert f"Since then {both} test" in lines(eve.get(f"{REPORTS}/overrides"))[0]
    finally:
        change(mode=Mode.ENFORCE, raises_need_two=False, prove_above={})


def test_what_was_decided_at_other_hours_is_told_in_the_zone_that_was_asked_for(
    world: World, eve: Visitor
) -> None:
    """The hours are so that now is outside them, whenever this test runs."""
    limit = world.limit(1000, **OF_SOMEBODY)
    hour = world.app.store.now().hour
    outside = f"opens={(hour + 2) % 24:02d}:00&closes={(hour + 4) % 24:02d}:00&days=every_day&zone=UTC"
    inside = f"opens={(hour + 23) % 24:02d}:00&closes={(hour + 2) % 24:02d}:00&days=every_day&zone=UTC"
    page = eve.get(f"{REPORTS}/out-of-hours?{outside}")
    assert any("Limit made At most $10.00 a day for" in line for line in lines(page))
    assert f"/console/e/test/find?q={limit.id}" in page.links
    assert "hours in the zone UTC" in page.text
    assert limit.id not in eve.get(f"{REPORTS}/out-of-hours?{inside}").html


def test_a_period_that_was_typed_in_another_zone_is_told_in_utc(eve: Visitor) -> None:
    period = "from=2026-11-01T02:00:00%2B10:00&to=2026-11-30T20:00:00-05:00"
    assert (
        "From 31 Oct 2026, 16:00:00 UTC until 1 Dec 2026, 01:00:00 UTC"
        in eve.get(f"{REPORTS}/four-eyes?{period}").text
    )
    name = eve.get(f"{REPORTS}/four-eyes/csv?{period}").response.headers["Content-Disposition"]
    assert "four-eyes-2026-10-31-2026-12-01.csv" in name


@pytest.mark.parametrize(
    ("report", "query", "words"),
    [
        ("four-eyes", "from=yesterday", "Type a date like 2026-11-30"),
        ("four-eyes", "to=0001-01-01", "Type a date like 2026-11-30"),
        ("four-eyes", "from=2026-11-02&to=2026-11-01", "ends before it begins"),
        ("out-of-hours", "zone=Mars/Olympus", "Type the name of a time zone"),
        ("out-of-hours", "opens=25:00", "Type a time like 08:30"),
        ("decisions", "under=soon", "Type a whole number of seconds"),
        ("decisions", "under=0", "Type a whole number of seconds"),
    ],
)
def test_a_filter_that_means_nothing_is_said_and_what_was_typed_is_kept(
    eve: Visitor, report: str, query: str, words: str
) -> None:
    seen = eve.get(f"{REPORTS}/{report}?{query}")
    assert seen.status == 422
    assert words in seen.text
    assert not seen.all("table")
    name, _, typed = query.partition("&")[0].partition("=")
    assert seen.all("input", name=name)[0].attributes["value"] == typed
    assert eve.get(f"{REPORTS}/{report}/csv?{query}").status == 422


def test_a_filter_of_another_report_shows_nothing_instead_of_everything(eve: Visitor) -> None:
    assert eve.get(f"{REPORTS}/four-eyes?asker=Ana").status == 400
    assert eve.get(f"{REPORTS}/decisions?asker=%00").status == 400


def test_a_report_that_stopped_looking_never_says_that_there_is_nothing(
    world: World, eve: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(2):
        _approved(world, world.caller(owner="Gil"), world.approver("hal", owner="Hal"))
    monkeypatch.setattr(audit_reports, "LOOKED_THROUGH", 1)
    page = eve.get(f"{REPORTS}/overrides")
    assert "Not all of the period was looked through, only what is since" in page.text
    assert "Nobody set anything aside" not in page.text
    file = eve.get(f"{REPORTS}/overrides/csv")
    assert file.status == 422
    assert "Not all of the period was looked through" in file.text
    assert "lines at most" not in file.text


def test_a_list_that_was_cut_says_how_it_is_sorted(
    world: World, eve: Visitor, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("Ivo", "Jan"):
        _approved(world, world.caller(owner=name), world.approver("kim", owner="Kim"))
    monkeypatch.setattr(reports, "_SHOWN", 1)
    monkeypatch.setattr(reports, "_IN_FILE", 1)
    assert "these are the first 1, those that stand out first" in eve.get(f"{REPORTS}/four-eyes").text
    assert "these are the first 1, newest first" in eve.get(f"{REPORTS}/decisions").text
    assert "A file has 1 lines at most" in eve.get(f"{REPORTS}/decisions/csv").text


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_report_of_a_time_when_nothing_happened_says_so(eve: Visitor, kind: object) -> None:
    name = getattr(kind, "name", "")
    seen = eve.get(f"{REPORTS}/{name}?to=2020-01-01")
    assert seen.status == 200
    assert getattr(kind, "empty", "?") in seen.text
    assert not [link for link in seen.links if link.startswith(f"{REPORTS}/{name}/csv")]
    assert file_of(eve.get(f"{REPORTS}/{name}/csv?to=2020-01-01")) == []


def test_that_nobody_decided_their_own_request_is_said_and_that_somebody_did_is_shouted(
    world: World, eve: Visitor
) -> None:
    _approved(world, world.caller(owner="Gil"), world.approver("hal", owner="Hal"))
    assert "Nobody decided a request of their own in this period." in eve.get(f"{REPORTS}/four-eyes").text
    own = own_decisions([("Gil", "Hal", 1), ("Ida", "Ida", 1)])
    assert own is not None
    assert own == (
        "A request of their own was decided by: Ida. That is refused here, so look into it.",
        "danger",
    )
    assert own_decisions([]) is None


def test_a_decision_is_reported_with_what_it_was_about_and_not_with_what_was_approved_later(
    world: World, eve: Visitor
) -> None:
    asker, approver = world.caller(owner="Jon"), world.approver("kim", owner="Kim")
    request = world.decide(approver, world.request(asker, world.payment(), 700), Choice.RETURN)
    world.app.answer_question(asker, request.id, "the blue one", fresh_key("answer"))
    world.decide(approver, world.now(request), Choice.APPROVE_LESS, amount=300)
    said = {one["said"]: one["amount"] for one in file_of(eve.get(f"{REPORTS}/decisions/csv?asker=Jon"))}
    assert said == {"Sent back with a question": "7.00", "Approved in part": "3.00"}
