import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.telling import Told, tell

RULE: dict[str, Any] = {
    "name": "large ones need two",
    "when": {"currency": "usd", "amount_at_least": 99_000_000},
    "then": {"effect": "approval", "quorum": 2},
}


def _written(folder: Path, rule: object) -> str:
    file = folder / "rule.json"
    file.write_text(json.dumps(rule), encoding="utf-8")
    return str(file)


def test_a_rule_is_written_revised_and_archived_by_the_host(here: Told, tmp_path: Path) -> None:
    made = here("policy", "create", "--file", _written(tmp_path, RULE), "--json")
    assert made.code == 0
    rule = made.value
    assert rule["words"] == "A refund of 990000.00 USD or more needs 2 approvers."
    assert rule["id"] in here("policy", "list").text
    # What `show` says can be edited and given back, and names the revision it was read at.
    shown = here("policy", "show", rule["id"], "--json").value
    shown["then"]["quorum"] = 3
    file = _written(tmp_path, shown)
    assert here("policy", "set", rule["id"], "--file", file, "--json").value["then"]["quorum"] == 3
    stale = here("policy", "set", rule["id"], "--file", file)
    assert (stale.code, "revision_stale" in stale.text) == (1, True)
    tried = here("policy", "set", rule["id"], "--mode", "dry_run", "--json").value
    assert (tried["mode"], tried["then"]["quorum"], tried["revision"]) == ("dry_run", 3, 3)
    assert here("policy", "archive", rule["id"], "--json").value["archived"] is True
    assert rule["id"] not in {one["id"] for one in here("policy", "list", "--json").value["data"]}
    assert rule["id"] in {one["id"] for one in here("policy", "list", "--archived", "--json").value["data"]}
    history = here("policy", "history", rule["id"], "--json").value["data"]
    assert [(one["revision"], one["written_by"]) for one in history] == [(n, "host") for n in (4, 3, 2, 1)]


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        ({**RULE, "amuont": 5}, "/amuont"),
        ({**RULE, "then": {"effect": "deny", "quorum": 2}}, "/then/effect"),
        ([RULE], "no JSON object"),
    ],
)
def test_a_file_that_holds_no_rule_is_not_understood(
    here: Told, tmp_path: Path, rule: object, said: str
) -> None:
    got = here("policy", "create", "--file", _written(tmp_path, rule))
    assert got.code == 2
    assert said in got.text


def test_a_change_says_what_it_changes() -> None:
    assert tell("policy", "set", "rule_x").code == 2
    assert tell("policy", "create").code == 2
    assert tell("policy", "create", "--file", "/nowhere/rule.json").code == 2
