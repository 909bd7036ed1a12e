import hashlib
import json
from pathlib import Path

import pytest

from tests.cli.story import Story
from tests.cli.telling import Told


def test_a_run_is_asked_for_carried_out_and_its_file_is_written(
    here: Told, story: Story, tmp_path: Path
) -> None:
    asked = here("run", "begin", "reconcile", "--parameters", '{"currency": "usd"}', "--json").value
    assert (asked["state"], asked["kind"], asked["person"]) == ("waiting", "reconcile", "host")
    story.app.long_work.carry_out(lambda: False)
    shown = here("run", "show", asked["id"], "--json")
    assert (shown.code, shown.value["state"], shown.value["summary"]["lines"]) == (0, "done", 5)
    file = shown.value["files"][1]
    output = tmp_path / "lines.ndjson"
    written = here("run", "result", asked["id"], file["name"], "--output", str(output))
    assert written.code == 0
    assert hashlib.sha256(output.read_bytes()).hexdigest() == file["sha256"]
    assert len([json.loads(line) for line in output.read_text(encoding="utf-8").splitlines()]) == 5
    assert asked["id"] in here("run", "list").text


def test_what_waits_is_canceled_and_what_ended_without_a_result_exits_with_1(here: Told) -> None:
    asked = here("run", "begin", "look_again", "--json").value
    assert here("run", "cancel", asked["id"], "--json").value["state"] == "canceled"
    assert here("run", "show", asked["id"]).code == 1


@pytest.mark.parametrize(
    ("words", "code", "says"),
    [
        (("begin", "guess"), 2, "/kind"),
        (("begin", "reconcile", "--parameters", "[]"), 2, "one JSON object"),
        (("begin", "reconcile", "--parameters", '{"currency": "usd", "since": "2026-11-01"}'), 2, "/since"),
        (("show", "run_none"), 1, "run_not_found"),
        (("result", "run_none", "x", "--output", "x"), 1, "run_not_found"),
    ],
)
def test_what_is_refused_says_why(here: Told, words: tuple[str, ...], code: int, says: str) -> None:
    heard = here("run", *words)
    assert heard.code == code
    assert says in heard.text
