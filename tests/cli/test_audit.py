"""`governor audit` on a story that was really played."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.sql import SQL, Identifier

from adapters.embedded.postgres import EmbeddedPostgres
from tests.cli.story import ENVIRONMENT, Story
from tests.cli.telling import Told
from tests.servers import fresh_database, libpq
from workers import cron


@pytest.fixture
def key(here: Told, tmp_path: Path) -> Path:
    """A key that signs anchors; its public half is beside it."""
    path = tmp_path / "audit.key"
    assert here("audit", "keygen", str(path)).code == 0
    return path


def _anchored(here: Told, path: Path, *options: str, **variables: str) -> Path:
    heard = here("audit", "anchor", *options, **variables)
    assert heard.code == 0
    path.write_text(heard.text, encoding="utf-8")
    return path


@pytest.fixture
def copy(story: Story, postgres_server: EmbeddedPostgres) -> Iterator[str]:
    """The URL of a copy of the story's database, in which a test may do harm."""
    source = story.app.engine.url.database
    assert source is not None
    story.app.engine.dispose()
    with fresh_database(postgres_server, source) as url:
        yield url


def test_a_key_is_readable_by_its_owner_only_and_never_overwritten(here: Told, key: Path) -> None:
    assert key.stat().st_mode & 0o777 == 0o600
    before = key.read_bytes()
    assert here("audit", "keygen", str(key)).code == 2
    assert key.read_bytes() == before
    beside = key.with_name("other.pub")
    beside.write_text("somebody's", encoding="ascii")
    assert here("audit", "keygen", str(key.with_name("other"))).code == 2
    assert (key.with_name("other").exists(), beside.read_text(encoding="ascii")) == (False, "somebody's")


def test_rows_are_listed_by_what_they_are_about(here: Told, story: Story) -> None:
    request = story.ask(1)
    heard = here("audit", "list", "--object", request.id, "--json")
    assert [row["action"] for row in heard.value["data"]] == ["refund_request.admitted"]
    newest = here("audit", "list", "--limit", "2", "--json").value["data"]
    assert newest[-1]["object"] == request.id
    assert len(newest) == 2
    assert "refund_request.admitted" in here("audit", "list", "--actor", story.agent.credential.id).text
    part = here("audit", "list", "--from", "3", "--to", "7", "--limit", "2", "--json").value["data"]
    assert [row["seq"] for row in part] == [6, 7], "the end of what was asked for, oldest first"
    assert here("audit", "list", "--action", "nothing.done").text == "nothing of the kind\n"


def test_an_intact_trail_ends_with_0_and_says_how_far_it_goes(here: Told, story: Story) -> None:
    story.ask(1)
    heard = here("audit", "verify")
    assert heard.code == 0
    assert re.match(rf"intact: {ENVIRONMENT}: rows 1 to \d+; 0 anchored rows", heard.text)
    part = here("audit", "verify", "--from", "3", "--to", "7", "--json")
    assert (part.code, part.value["first"], part.value["last"], part.value["rows"]) == (0, 3, 7, 5)


def test_checkpoints_are_held_against_the_trail_with_their_signatures(
    here: Told, story: Story, key: Path, tmp_path: Path
) -> None:
    signed = _anchored(here, tmp_path / "one", "--key-file", str(key))
    story.ask(1)
    public = str(key) + ".pub"
    heard = here("audit", "verify", "--anchor", str(signed), "--public-key", public, "--json")
    assert (heard.code, heard.value["anchors"], heard.value["signatures"]) == (0, 1, 1)
    mine = here("audit", "verify", "--anchor", str(signed), "--json", GOVERNOR_AUDIT_KEY_FILE=str(key))
    assert (mine.code, mine.value["signatures"]) == (0, 1)
    unsigned = _anchored(here, tmp_path / "two")
    heard = here("audit", "verify", "--anchor", str(unsigned), "--json")
    assert (heard.code, heard.value["anchors"], heard.value["signatures"]) == (0, 1, 0)
    heard = here("audit", "verify", "--anchor", str(unsigned), "--public-key", public, "--json")
    assert (heard.code, heard.value["broken"]["code"]) == (1, "audit_signature")


def test_only_anchors_of_the_rows_that_are_verified_count(
    here: Told, story: Story, key: Path, tmp_path: Path
) -> None:
    story.ask(1)
    anchor = _anchored(here, tmp_path / "one", "--key-file", str(key))
    seq = json.loads(anchor.read_text(encoding="utf-8"))["seq"]
    for _ in range(2):
        story.ask(1)
    counted_for = {(seq, seq + 1): 1, (seq + 1, seq + 1): 1, (seq + 2, seq + 2): 0, (1, seq - 1): 0}
    known = ("--anchor", str(anchor), "--public-key", f"{key}.pub")
    for (first, last), counted in counted_for.items():
        bounds = ("--from", str(first), "--to", str(last), *known)
        heard = here("audit", "verify", *bounds, "--json")
        assert (heard.code, heard.value["anchors"], heard.value["signatures"]) == (0, counted, counted)


@pytest.mark.parametrize("name", ["seq", "hash", "at", "environment", "key", "signature"])
def test_a_checkpoint_that_was_changed_is_not_believed(
    here: Told, key: Path, tmp_path: Path, name: str
) -> None:
    signed = _anchored(here, tmp_path / "one", "--key-file", str(key))
    told = json.loads(signed.read_text(encoding="utf-8"))
    turned = told[name][::-1] if name in {"key", "signature", "hash"} else told[name]
    told[name] = {"seq": 1, "at": "2020-01-01T00:00:00.000000+00:00", "environment": "other"}.get(
        name, turned
    )
    signed.write_text(json.dumps(told), encoding="utf-8")
    heard = here("audit", "verify", "--anchor", str(signed), "--public-key", f"{key}.pub", "--json")
    if name == "environment":
        assert (heard.code, heard.value["anchors"]) == (0, 0), (
            "an anchor of another environment says nothing here"
        )
    else:
        assert (heard.code, heard.value["broken"]["code"]) == (1, "audit_signature")


def test_a_tail_that_was_cut_off_with_its_head_is_found_by_an_anchor(
    here: Told, copy: str, tmp_path: Path
) -> None:
    """K3: whoever has the database can cut the end off so that the chain is whole again."""
    anchor = _anchored(here, tmp_path / "anchor")
    with psycopg.connect(libpq(copy)) as session:
        for table in ("audit", "messages", "deliveries"):
            session.execute(SQL("ALTER TABLE {} DISABLE TRIGGER USER").format(Identifier(table)))
        # Messages name rows of the trail, and deliveries messages.
        session.execute("DELETE FROM deliveries")
        session.execute("DELETE FROM messages")
        session.execute("DELETE FROM audit WHERE seq > 10")
        session.execute(
            "UPDATE environments SET audit_seq = 10, audit_hash = (SELECT hash FROM audit WHERE seq = 10)"
        )
    assert here("audit", "verify", GOVERNOR_DATABASE_URL=copy).code == 0, "the chain alone cannot know"
    heard = here("audit", "verify", "--anchor", str(anchor), "--json", GOVERNOR_DATABASE_URL=copy)
    assert (heard.code, heard.value["broken"]["code"], heard.value["broken"]["seq"]) == (1, "audit_head", 11)


def test_a_verdict_and_an_anchor_are_said_where_no_note_of_them_can_be_kept(here: Told, copy: str) -> None:
    """As for a role that may only read; here there is nothing to write it into."""
    with psycopg.connect(libpq(copy)) as session:
        session.execute("DROP TABLE trail_care")
    verified = here("audit", "verify", GOVERNOR_DATABASE_URL=copy)
    anchored = here("audit", "anchor", GOVERNOR_DATABASE_URL=copy)
    assert (verified.code, anchored.code) == (0, 0)
    assert "intact: " in verified.text
    for heard in (verified, anchored):
        assert "no note of this is kept" in heard.text


def test_a_row_that_somebody_changed_ends_with_1_and_its_number(here: Told, copy: str) -> None:
    with psycopg.connect(libpq(copy)) as session:
        session.execute("ALTER TABLE audit DISABLE TRIGGER USER")
        session.execute("UPDATE audit SET actor = 'somebody' WHERE seq = 4")
    heard = here("audit", "verify", GOVERNOR_DATABASE_URL=copy)
    assert heard.code == 1
    assert heard.text.startswith("audit_hash: row 4: ")


def test_an_export_is_verified_without_a_database(
    here: Told, story: Story, key: Path, tmp_path: Path
) -> None:
    story.ask(1)
    output = tmp_path / "trail.ndjson"
    made = here("audit", "export", "--output", str(output), "--json", GOVERNOR_AUDIT_KEY_FILE=str(key))
    assert made.code == 0
    nowhere = {"GOVERNOR_DATABASE_URL": "postgresql+psycopg://nobody@127.0.0.1:1/none"}
    verify = ("audit", "verify", "--file", str(output), "--json")
    heard = here(*verify, "--public-key", f"{key}.pub", **nowhere)
    assert (heard.code, heard.value["rows"]) == (0, made.value["count"])
    other = tmp_path / "other.key"
    here("audit", "keygen", str(other))
    heard = here(*verify, "--public-key", f"{other}.pub", **nowhere)
    assert (heard.code, heard.value["broken"]["code"]) == (1, "audit_signature")
    output.write_bytes(output.read_bytes().replace(b'"governor"', b'"someone"', 1))
    heard = here(*verify, **nowhere)
    assert (heard.code, heard.value["broken"]["code"]) == (1, "audit_hash")


def test_a_csv_has_its_manifest_beside_it(here: Told, tmp_path: Path) -> None:
    output = tmp_path / "trail.csv"
    made = here("audit", "export", "--format", "csv", "--output", str(output), "--to", "5", "--json")
    assert (made.code, made.value["count"]) == (0, 5)
    beside = json.loads((tmp_path / "trail.csv.manifest").read_text(encoding="utf-8"))
    assert beside["manifest"] == made.value
    assert len(output.read_text(encoding="utf-8").splitlines()) == 6


def test_cron_says_in_its_log_where_the_trail_ends_and_the_log_is_an_anchor(
    here: Told, story: Story, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    for form in ("json", "lines"):
        assert here("env", "list", GOVERNOR_LOG=form).code == 0
        cron.anchor(story.app)
        log = tmp_path / f"cron.{form}"
        log.write_text(f'{{"event": "other"}}\n{capfd.readouterr().err}\n', encoding="utf-8")
        assert "audit.anchor" in log.read_text(encoding="utf-8")
        heard = here("audit", "verify", "--anchor", str(log), "--json")
        assert (heard.code, heard.value["anchors"]) == (0, 1)


@pytest.mark.parametrize(
    "content", ["{", '{"seq": 1}', '{"seq": 0, "hash": "x", "at": "", "environment": "test"}']
)
def test_what_is_no_checkpoint_is_not_taken_for_one(here: Told, tmp_path: Path, content: str) -> None:
    file = tmp_path / "anchor"
    file.write_text(content, encoding="utf-8")
    assert here("audit", "verify", "--anchor", str(file)).code == 2


def test_a_key_that_is_none_is_named(here: Told, tmp_path: Path) -> None:
    file = tmp_path / "no.key"
    file.write_text("nothing", encoding="utf-8")
    for words, variables in (
        (("audit", "anchor", "--key-file", str(file)), {}),
        (("audit", "anchor"), {"GOVERNOR_AUDIT_KEY_FILE": str(file)}),
        (("audit", "anchor"), {"GOVERNOR_AUDIT_KEY_FILE": str(tmp_path / "nowhere")}),
        (("audit", "verify", "--public-key", str(file)), {}),
    ):
        heard = here(*words, **variables)
        assert heard.code == 2, heard.text


def test_a_file_is_asked_about_by_row_only_up_to_its_end(here: Told, tmp_path: Path) -> None:
    file = tmp_path / "x"
    file.write_text("", encoding="utf-8")
    assert here("audit", "verify", "--file", str(file), "--from", "2").code == 2
    assert here("audit", "verify", "--file", str(file), "--to", "2026-01-01").code == 2
    assert here("audit", "verify", "--file", str(file)).code == 1
