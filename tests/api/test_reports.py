import csv
import io

import pytest

from tests.api.people import People
from tests.builders import World
from tests.fakes.provider import LOST, FakeProvider

REPORT = "/reports/reconciliation"


@pytest.fixture(scope="module")
def story(world: World) -> dict[str, str]:
    """One refund that went well, one that waits, one in doubt, and one made in the Dashboard."""
    assert isinstance(world.provider, FakeProvider)
    world.limit(1_000_000)
    payments = [world.payment(5000) for _ in range(3)]
    done = world.request(world.caller(), payments[0], 700)
    world.drain(done)
    world.provider.answer_next(LOST)
    doubt = world.request(world.caller(), payments[1], 900)
    world.drain(doubt)
    world.provider.refund_elsewhere(payments[2], 300)
    waits = world.request(world.caller(), payments[2], 50)
    return {"done": done.id, "doubt": doubt.id, "waits": waits.id}


def test_both_planes_stand_side_by_side_with_why_they_differ(people: People, story: dict[str, str]) -> None:
    got = people.auditor.get(f"{REPORT}?currency=usd")
    assert got.status == 200
    found = {line["refund_request"]: line for line in got.json["lines"]}
    assert found[story["done"]]["explanation"] == "matches"
    assert found[story["doubt"]]["explanation"] == "in_doubt"
    assert found[story["waits"]]["explanation"] == "not_sent"
    assert (found[None]["explanation"], found[None]["governed"]) == ("ungoverned", False)
    totals = got.json["totals"]
    assert totals["exposure"] == {"held": 950, "settled": 1000}
    assert totals["evidence"] == {"pending": 0, "succeeded": 1000, "failed": 0}
    assert (totals["difference"], got.json["unexplained"]) == (950, 0)


def test_a_period_and_a_currency_choose_the_lines(people: People, story: dict[str, str]) -> None:
    assert story
    assert people.auditor.get(f"{REPORT}?currency=eur").json["lines"] == []
    assert people.auditor.get(f"{REPORT}?currency=usd&from=2020-01-01&to=2020-02-01").json["lines"] == []
    whole = people.auditor.get(f"{REPORT}?currency=usd&from=2020-01-01&to=2099-01-01T00:00:00Z")
    assert len(whole.json["lines"]) == 4
    assert (whole.json["from"], whole.json["to"]) == ("2020-01-01T00:00:00Z", "2099-01-01T00:00:00Z")


def test_csv_has_the_same_lines(people: People, story: dict[str, str]) -> None:
    got = people.auditor.get(f"{REPORT}?currency=usd&format=csv")
    assert got.headers["Content-Type"].startswith("text/csv")
    rows = list(csv.DictReader(io.StringIO(got.body.decode())))
    assert {row["refund_request"] for row in rows} == {*story.values(), ""}
    assert {row["held"] for row in rows} == {"0", "50", "900"}
    assert {row["governed"] for row in rows} == {"true", "false"}


#   query                                              code
REFUSED = [
    ("",                                               "query_invalid"),
    ("?currency=USD",                                  "query_invalid"),
    ("?currency=usd&from=yesterday",                   "query_invalid"),
    ("?currency=usd&from=2026-01-01T00:00:00",         "query_invalid"),
    ("?currency=usd&format=xls",                       "query_invalid"),
    ("?currency=usd&period=all",                       "query_invalid"),
    ("?currency=usd&from=2026-02-01&to=2026-01-01",    "period_empty"),
]  # fmt: skip


@pytest.mark.parametrize(("query", "code"), REFUSED)
def test_what_cannot_be_understood_is_refused(people: People, query: str, code: str) -> None:
    assert people.auditor.get(REPORT + query).code == code


def test_what_governor_did_not_make_is_listed_as_not_governed(people: People, story: dict[str, str]) -> None:
    assert story
    got = people.approver.get("/external-refunds")
    (one,) = got.json["data"]
    assert (one["governed"], one["amount"], one["capacity"], one["claims"]) == (False, 300, "settled", None)
    assert one["happened_at"].endswith("Z")
    assert got.json["has_more"] is False
