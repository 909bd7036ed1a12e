"""The audit trail over the API: listed, verified, exported."""

import csv
import io
import json
from threading import Event, Thread
from typing import Any
from urllib.parse import quote

import psycopg
import pytest

from governor.domain.approval import Ballot, Choice
from governor.domain.trail_file import TrailFile
from governor.ports.records import TrailFilter
from governor.usecases.verify_trail import verify_file
from tests.api.people import People
from tests.builders import World, fresh_key
from tests.servers import libpq
from tests.stack import PATIENCE_SECONDS


@pytest.fixture(scope="module")
def story(world: World, people: People) -> dict[str, str]:
    """A refund that went, one that was rejected, one that was refused; asked over the API."""
    world.limit(10_000, approval_above=2_000)

    def ask(amount: int) -> Any:
        body = {
            "payment": world.payment(50_000),
            "amount": amount,
            "currency": "usd",
            "note": "=cmd|' /C calc'!A0",
        }
        return people.agent.post("/refund-requests", body)

    sent, waits, denied = ask(1500), ask(3000), ask(45_000)
    world.drain(world.app.queries.request(world.operator, sent.json["id"]))
    hold = world.app.queries.hold(world.operator, waits.json["hold"])[0]
    no = Ballot(Choice.REJECT, hold.digest, hold.version, "no")
    world.app.decide_hold(world.approver(), hold.id, no, fresh_key("vote"))
    return {
        "sent": sent.json["id"],
        "call": sent.headers["Request-Id"],
        "waits": waits.json["id"],
        "denied": denied.json["refund_request"]["id"],
    }


def _last(people: People) -> int:
    found: int = people.auditor.get("/audit/verify").json["last"]
    return found


def test_the_trail_of_a_request_says_who_what_and_in_which_call(
    people: People, story: dict[str, str]
) -> None:
    rows = people.auditor.get(f"/audit?object={story['sent']}").json["data"]
    assert [row["action"] for row in rows] == [
        "refund_request.admitted",
        "refund_request.claimed",
        "refund_request.evidence",
    ]
    assert rows[0]["facts"]["request_id"] == story["call"]
    assert rows[0]["facts"]["limits_revision"] >= 1
    assert (rows[-1]["facts"]["from"], rows[-1]["facts"]["to"]) == ("dispatching", "succeeded")


def test_filters_choose_by_actor_action_number_and_time(people: People, story: dict[str, str]) -> None:
    whole = people.auditor.get("/audit?limit=100").json["data"]
    seqs = [row["seq"] for row in whole]
    assert seqs == sorted(seqs)
    governor = people.auditor.get("/audit?actor=governor&limit=100").json["data"]
    assert {row["actor"] for row in governor} == {"governor"}
    person = next(row["facts"]["person"] for row in whole if row["action"] == "refund_request.denied")
    theirs = people.auditor.get(f"/audit?actor={quote(person)}&limit=100").json["data"]
    assert theirs == [row for row in whole if row["facts"].get("person") == person] != []
    two = people.auditor.get("/audit?action=hold.decided&action=refund_request.denied").json["data"]
    assert {row["object"] for row in two} == {story["waits"], story["denied"]}
    part = people.auditor.get("/audit?from=3&to=5").json["data"]
    assert [row["seq"] for row in part] == [3, 4, 5]
    assert people.auditor.get("/audit?from=2099-01-01").json["data"] == []
    moment = whole[4]["at"]
    later = people.auditor.get(f"/audit?from={moment}&limit=100").json["data"]
    assert [row["seq"] for row in later] == [row["seq"] for row in whole if row["at"] >= moment]
    before = people.auditor.get(f"/audit?to={moment}&limit=100").json["data"]
    assert [row["seq"] for row in before] == [row["seq"] for row in whole if row["at"] < moment]


def test_pages_follow_one_another_by_number(people: People, story: dict[str, str]) -> None:
    assert story
    seen, path = [], "/audit?limit=4"
    while path:
        got = people.auditor.get(path).json
        seen += [row["seq"] for row in got["data"]]
        path = f"/audit?limit=4&after={got['next_cursor']}" if got["has_more"] else ""
    assert seen == list(range(1, len(seen) + 1))
    assert len(seen) > 8


def test_verifying_says_how_far_it_went(people: People, story: dict[str, str]) -> None:
    assert story
    got = people.operator.get("/audit/verify").json
    assert (got["intact"], got["broken"], got["first"]) == (True, None, 1)
    assert got["rows"] == got["last"]
    part = people.operator.get("/audit/verify?from=3&to=5").json
    assert (part["intact"], part["first"], part["last"], part["rows"]) == (True, 3, 5, 3)
    missing = people.operator.get(f"/audit/verify?to={got['last'] + 5}").json
    assert (missing["intact"], missing["broken"]["code"]) == (False, "audit_head")


def test_an_export_is_verified_without_a_database(people: People, story: dict[str, str]) -> None:
    assert story
    got = people.auditor.get("/audit/export")
    assert got.headers["Content-Type"].startswith("application/x-ndjson")
    lines = got.body.splitlines(keepends=True)
    verdict = verify_file(lines)
    assert (verdict.broken, verdict.rows) == (None, len(lines) - 1)
    assert got.headers["Audit-Rows"] == f"1-{verdict.last}"
    part = people.auditor.get("/audit/export?from=3&to=5").body.splitlines(keepends=True)
    assert (verify_file(part).broken, verify_file(part).first, verify_file(part).last) == (None, 3, 5)


def test_the_manifest_of_either_format_says_what_the_export_holds(
    people: People, story: dict[str, str]
) -> None:
    assert story
    last = _last(people)
    for form in ("ndjson", "csv"):
        manifest = people.auditor.get(f"/audit/manifest?format={form}&to={last}").json
        assert (manifest["first"], manifest["last"], manifest["count"]) == (1, last, last)
        again = people.auditor.get(f"/audit/manifest?format={form}&to={last}").json
        assert again["sha256"] == manifest["sha256"]
    file = TrailFile(people.auditor.get(f"/audit/export?to={last}").body.splitlines(keepends=True))
    file.walked()
    assert file.manifest is not None
    assert file.manifest.sha256 == people.auditor.get(f"/audit/manifest?to={last}").json["sha256"]


def test_csv_has_every_row_and_no_formula(people: People, story: dict[str, str]) -> None:
    """T36"""
    assert story
    last = _last(people)
    got = people.auditor.get(f"/audit/export?format=csv&to={last}")
    rows = list(csv.DictReader(io.StringIO(got.body.decode())))
    assert [int(row["seq"]) for row in rows] == list(range(1, last + 1))
    assert json.loads(rows[0]["facts"])["limits_revision"] == 0
    cells = [cell for row in rows for cell in row.values()]
    assert [cell for cell in cells if cell[:1] in set("=+-@\t\r\n＝＋－＠")] == []


def test_an_export_is_one_moment_though_rows_are_added(world: World) -> None:
    """K7: what is written while the export is read is not in it, and the export is whole."""
    elsewhere = World(world.database_url, world.redis_url, world.provider, environment="busy")
    caller, stop, written = elsewhere.operator, Event(), Event()

    def write() -> None:
        while not stop.is_set():
            elsewhere.app.record_refusal(caller, "post_limits", "role_not_allowed")
            written.set()

    writer = Thread(target=write)
    writer.start()
    try:
        for _ in range(20):
            export = elsewhere.app.audit.export("busy")
            written.clear()
            assert written.wait(PATIENCE_SECONDS)
            rows = [row.seq for row in export.trail.along(export.stretch)]
            assert rows == list(range(1, export.stretch.head.seq + 1))
            assert elsewhere.app.audit.verify("busy").broken is None
    finally:
        stop.set()
        writer.join()
        elsewhere.close()


def test_a_row_that_somebody_changed_is_named(world: World) -> None:
    """K3: by whoever can switch the database's own protection off."""
    broken = World(world.database_url, world.redis_url, world.provider, environment="broken")
    assert broken.app.audit.verify("broken").broken is None
    with psycopg.connect(libpq(world.database_url)) as session:
        session.execute("ALTER TABLE audit DISABLE TRIGGER USER")
        session.execute(
            "UPDATE audit SET facts = facts || '{\"role\": \"auditor\"}' WHERE environment = 'broken' AND seq = 2"
        )
        session.execute("ALTER TABLE audit ENABLE TRIGGER USER")
    found = broken.app.audit.verify("broken").broken
    assert found is not None
    assert (found.code.value, found.seq) == ("audit_hash", 2)
    broken.close()


#   path                                     code
REFUSED = [
    ("/audit?from=yesterday",                "query_invalid"),
    ("/audit?from=0",                        "query_invalid"),
    ("/audit?colour=red",                    "query_invalid"),
    ("/audit/verify?from=5&to=3",            "period_empty"),
    ("/audit/verify?from=1&to=200000",       "report_too_long"),
    ("/audit/manifest?from=1&to=200000",     "report_too_long"),
    ("/audit/export?format=xls",             "query_invalid"),
    ("/audit/export?format=json",            "query_invalid"),
    ("/audit/export?from=900000",            "period_empty"),
]  # fmt: skip


@pytest.mark.parametrize(("path", "code"), REFUSED)
def test_what_cannot_be_understood_is_refused(people: People, path: str, code: str) -> None:
    assert people.auditor.get(path).code == code


def test_an_export_is_given_to_who_reads_only_that_form(people: People) -> None:
    assert people.auditor.get("/audit/export", Accept="application/x-ndjson").status == 200
    assert people.auditor.get("/audit/verify", Accept="text/csv").code == "not_acceptable"


def test_a_caller_of_the_api_is_named_by_its_call(people: People) -> None:
    made = people.operator.post(
        "/limits", {"scope": "environment", "measure": "count", "window": "day", "cap": 9}
    )
    rows = people.auditor.get(f"/audit?object={made.json['id']}").json["data"]
    assert [row["facts"]["request_id"] for row in rows] == [made.headers["Request-Id"]]
    assert [row["facts"]["address"] for row in rows] == ["127.0.0.1"]


def test_what_is_done_on_the_host_names_no_call(world: World) -> None:
    made = world.caller(name="made on the host").credential.id
    with world.app.store.reading() as reads:
        (row,) = reads.audit(world.environment, after=0, at_most=5, chosen=TrailFilter(objects=(made,)))
    assert (row.entry.actor, row.entry.facts["request_id"]) == ("host", None)
