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


def test_a_policy_is_tried_on_the_past_and_on_an_export(here: Told, tmp_path: Path) -> None:
    nothing_new = here("policy", "simulate", "--days", "90", "--json").value
    assert (nothing_new["changes"], nothing_new["is_whole"]) == ([], True)
    assert nothing_new["asked"] > 0
    rules = _written(tmp_path, [{"name": "no more", "when": {}, "then": {"effect": "deny"}}])
    tried = here("policy", "simulate", "--rules", rules)
    assert tried.code == 0
    assert "rule 'no more' fired" in tried.text
    assert "-> denied" in tried.text
    (tmp_path / "past.csv").write_text(
        "id,amount,currency,created\nre_1,15.00,usd,2026-11-01\nre_2,16.00,usd,2026-11-01\n", encoding="utf-8"
    )
    (tmp_path / "past.ndjson").write_text(
        '{"id": "re_1", "amount": 1500, "currency": "usd", "created": 1793484000}\n', encoding="utf-8"
    )
    (tmp_path / "limits.json").write_text(json.dumps(here("limit", "list", "--json").value), encoding="utf-8")
    limits = str(tmp_path / "limits.json")
    for name, count in (("past.csv", 2), ("past.ndjson", 1)):
        words = ("policy", "simulate", "--file", str(tmp_path / name), "--rules", rules, "--limits", limits)
        found = here(*words, "--json").value
        assert (found["asked"], found["changes"][0]["count"]) == (count, count)


def test_a_past_that_cannot_be_replayed_is_not_understood(here: Told, tmp_path: Path) -> None:
    past = tmp_path / "past.csv"
    past.write_text("id,amount,currency,created\nre_1,1.5,usd,2026-11-01\n", encoding="utf-8")
    wrong = here("policy", "simulate", "--file", str(past))
    assert (wrong.code, "Line 2" in wrong.text) == (2, True)
    assert here("policy", "simulate", "--days", "3", "--file", str(past)).code == 2
    assert here("policy", "simulate", "--days", "91").code == 2
    assert here("policy", "simulate", "--file", "/nowhere.csv").code == 2
    assert here("policy", "simulate", "--rules", str(past)).code == 2
