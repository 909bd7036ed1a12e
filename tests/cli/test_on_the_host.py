from dataclasses import replace
from pathlib import Path

import pytest

from governor.domain.credentials import Kind, Role
from governor.settings import Settings
from governor.usecases.callers import HOST
from governor.usecases.credential_drafts import CredentialDraft
from tests.cli.story import ENVIRONMENT, Story
from tests.cli.telling import Told, tell


def test_a_limit_is_made_changed_and_archived_by_the_host(here: Told, story: Story) -> None:
    words = (
        "--scope",
        "agent",
        "--currency",
        "usd",
        "--window",
        "rolling",
        "--window-days",
        "7",
        "--cap",
        "5000",
    )
    made = here("limit", "create", *words, "--approval-above", "900", "--json")
    assert made.code == 0
    limit = made.value["id"]
    assert (made.value["cap"], made.value["approval_above"], made.value["revision"]) == (5000, 900, 1)
    changed = here("limit", "set", limit, "--cap", "6000", "--no-approval", "--json").value
    assert (changed["cap"], changed["approval_above"], changed["revision"]) == (6000, None, 2)
    assert limit in {one["id"] for one in here("limit", "list", "--json").value["data"]}
    counted = here("limit", "counters", limit, "--json").value["data"]
    assert counted[0]["settled"] + counted[0]["reserved"] > 0
    assert here("limit", "archive", limit, "--json").value["archived"] is True
    assert limit not in {one["id"] for one in here("limit", "list", "--json").value["data"]}
    assert limit in {one["id"] for one in here("limit", "list", "--archived", "--json").value["data"]}
    assert here("limit", "show", limit, "--json").value["revision"] == 3
    again = here("limit", "again", limit, "--json").value
    assert (again["scope"], again["window_days"], again["cap"], again["archived"]) == (
        "agent",
        7,
        6000,
        False,
    )
    assert again["id"] != limit
    recounted = here("limit", "counters", again["id"], "--json").value["data"]
    assert [one["settled"] + one["reserved"] for one in recounted] == [
        one["settled"] + one["reserved"] for one in counted
    ]
    here("limit", "archive", again["id"])
    assert {"limit.created", "limit.changed", "limit.archived"} <= _done_by_the_host(story, limit)


def _done_by_the_host(story: Story, thing: str) -> set[str]:
    with story.app.store.reading() as reads:
        trail = [row.entry for row in reads.audit(ENVIRONMENT, after=0, at_most=1000)]
    return {entry.action for entry in trail if entry.object == thing and entry.actor == HOST}


def test_a_stale_revision_changes_nothing(here: Told) -> None:
    limit = here("limit", "list", "--json").value["data"][0]
    heard = here("limit", "set", limit["id"], "--cap", "1", "--revision", "77", "--json")
    assert (heard.code, heard.value["error"]["code"]) == (1, "revision_stale")
    assert here("limit", "show", limit["id"], "--json").value == limit


def test_a_limit_that_means_nothing_is_a_usage_error_that_names_the_field(here: Told) -> None:
    heard = here("limit", "create", "--scope", "agent", "--window", "day", "--cap", "5")
    assert heard.code == 2
    assert "/currency" in heard.text


def test_a_halt_is_acknowledged_with_a_reason(here: Told, story: Story) -> None:
    assert here("env", "acknowledge", "--reason", "seen", "--json").value["error"]["code"] == "not_stopped"
    with story.app.store.environment(ENVIRONMENT) as tx:
        tx.save_environment(replace(tx.here, halted_reason="overrun: rr_x", revision=tx.here.revision + 1))
    assert here("env", "acknowledge", "--reason", " ").code == 2
    assert here("env", "show", "--json").value["halted_reason"] == "overrun: rr_x"
    heard = here("env", "acknowledge", "--reason", "seen with finance", "--json")
    assert (heard.code, heard.value["halted_reason"]) == (0, None)
    assert "environment.acknowledged" in _done_by_the_host(story, ENVIRONMENT)


def test_the_host_says_from_which_amounts_on_a_click_is_not_enough(here: Told) -> None:
    changed = here("env", "set", "--prove-above", "usd=50000,jpy=5000", "--json").value
    assert (changed["prove_above"], changed["type_above"]) == ({"usd": 50_000, "jpy": 5000}, {})
    for wrong in ("usd", "usd=5.00", "usd=1,usd=2", "dollars=1"):
        assert here("env", "set", "--type-above", wrong).code == 2
    assert here("env", "set", "--prove-above", "never", "--json").value["prove_above"] == {}


def test_nothing_to_change_is_a_usage_error(here: Told) -> None:
    assert here("limit", "set", "lim_1").code == 2
    assert here("env", "set").code == 2


def test_a_limit_that_is_not_there_is_refused(here: Told) -> None:
    heard = here("limit", "show", "lim_nothing")
    assert (heard.code, "limit_not_found" in heard.text) == (1, True)


def test_a_key_is_shown_once_opens_the_door_and_is_revoked(here: Told, story: Story) -> None:
    words = ("--name", "night shift", "--role", "auditor", "--kind", "human", "--owner", "gita")
    made = here("key", "create", *words, "--expires-in-days", "2", "--json").value
    assert story.app.authenticate(made["key"]).credential.id == made["id"]
    listed = here("key", "list", "--json")
    assert made["id"] in listed.text
    assert made["key"] not in listed.text
    assert made["key"].rpartition("_")[2] not in listed.text
    assert here("key", "revoke", made["id"], "--json").value["revoked_at"] is not None
    assert _done_by_the_host(story, made["id"]) == {"credential.created", "credential.revoked"}


def test_a_role_that_does_not_exist_is_a_usage_error(here: Told) -> None:
    words = ("--name", "x", "--role", "root", "--kind", "human", "--owner", "x")
    assert here("key", "create", *words).code == 2


def test_an_environment_is_founded_once_and_changed(here: Told, monkeypatch: pytest.MonkeyPatch) -> None:
    made = here("env", "create", "second", "--rate-per-second", "10", "--json").value
    assert (made["account"], made["rate_per_second"]) == ("acct_sandbox_default", 10)
    again = here("env", "create", "second", "--json")
    assert (again.code, again.value["error"]["code"]) == (1, "environment_exists")
    changed = here("env", "set", "--environment", "second", "--mode", "observe", "--json").value
    assert (changed["mode"], changed["rate_per_second"], changed["revision"]) == ("observe", 10, 2)
    assert "second" in here("env", "list").text
    monkeypatch.delenv("GOVERNOR_ENVIRONMENT")
    several = here("limit", "list")
    assert (several.code, "say which --environment: second, test" in several.text) == (2, True)
    assert here("limit", "list", "--environment", ENVIRONMENT).code == 0


@pytest.mark.parametrize("name", ["Test", "1st", "a" * 33, "a b", "über"])
def test_a_name_no_environment_can_have_is_a_usage_error(here: Told, name: str) -> None:
    assert here("env", "create", name).code == 2


def test_the_books_are_clean_in_words_and_in_json(here: Told) -> None:
    heard = here("fsck", "--json", "--environment", ENVIRONMENT)
    assert (heard.code, heard.value["fsck"], heard.value["findings"]) == (0, "clean", [])
    assert heard.value["counters"] >= 2
    assert here("fsck", "--environment", ENVIRONMENT).text.startswith("clean: ")
    assert here("fsck", "--environment", "nowhere").code == 1


def test_the_schema_says_where_it_is_and_is_never_destroyed_by_mistake(here: Told) -> None:
    status = here("db", "status", "--json")
    assert (status.code, status.value["current"]) == (0, status.value["wanted"])
    assert here("db", "downgrade", "--json").value["error"]["code"] == "not_confirmed"
    assert here("db", "upgrade").code == 0
    assert here("db", "status").code == 0


def test_an_empty_database_is_brought_up_and_taken_down(here: Told, story: Story, database_url: str) -> None:
    del story
    assert here("db", "downgrade", "--yes-destroy", GOVERNOR_DATABASE_URL=database_url).code == 0
    assert here("db", "status", GOVERNOR_DATABASE_URL=database_url).code == 1
    assert here("db", "upgrade", GOVERNOR_DATABASE_URL=database_url).code == 0
    assert here("db", "status", GOVERNOR_DATABASE_URL=database_url).code == 0


NOBODY = "postgresql+psycopg://nobody:hush@127.0.0.1:1/none"


@pytest.mark.parametrize("words", [("db", "status"), ("limit", "list"), ("fsck",), ("env", "list")])
def test_a_database_that_is_away_is_unavailable_and_its_password_is_not_told(
    here: Told, words: tuple[str, ...]
) -> None:
    heard = here(*words, GOVERNOR_DATABASE_URL=NOBODY)
    assert heard.code == 4
    assert "hush" not in heard.text


def test_without_settings_there_is_nothing_to_work_on(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GOVERNOR_DATABASE_URL", raising=False)
    for words in (("limit", "list"), ("--data", "nowhere", "fsck"), ("db", "status"), ("doctor",)):
        assert tell(*words).code == 2
    assert list(tmp_path.iterdir()) == []


def test_a_live_key_is_refused_and_never_repeated(here: Told) -> None:
    heard = here("limit", "list", GOVERNOR_STRIPE_KEY="sk_live_abcdef")
    assert heard.code == 2
    assert "test-mode key" in heard.text
    assert "abcdef" not in heard.text


def test_settings_that_cannot_be_used_do_not_repeat_a_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DATABASE_URL", "REDIS_URL", "STRIPE_KEY"):
        monkeypatch.setenv(f"GOVERNOR_{name}", "sk_live_abcdef")
    monkeypatch.setenv("GOVERNOR_PEPPER", "short-and-secret")
    with pytest.raises(ValueError, match="validation error") as refused:
        Settings()
    assert "secret" not in str(refused.value).replace("Secret", "")
    assert "abcdef" not in str(refused.value)


def test_the_host_stops_alone_and_somebody_with_a_key_has_to_agree(
    here: Told, story: Story, tmp_path: Path
) -> None:
    """Without HTTP: the emergency stop works while the web process is away."""
    frozen = here("env", "freeze", "--reason", "too many refunds", "--json")
    assert (frozen.code, frozen.value["frozen"]["person"]) == (0, HOST)
    assert here("env", "show", "--json").value["frozen_reason"] == "too many refunds"
    assert here("env", "freezes", "--json").value["data"] == [frozen.value]
    go = ("env", "unfreeze", "--reason", "the fault is found")
    assert here(*go, "--json").value["ended"] is None
    assert here(*go, "--json").value["error"]["code"] == "second_person_needed"
    draft = CredentialDraft("olga", Role.OPERATOR, Kind.HUMAN, "olga")
    key_file = tmp_path / "key"
    key_file.write_text(story.app.manage_credentials.found(ENVIRONMENT, draft)[1] + "\n")
    done = here(*go, "--key-file", str(key_file), "--json")
    assert (done.code, done.value["ended"]["person"]) == (0, "olga")
    assert here("env", "freezes").text == "nothing is frozen\n"
    assert here("env", "freeze", "--reason", " ").code == 2
    assert here("env", "freeze", "--scope", "payment", "--reason", "x").code == 2


def test_a_key_is_replaced_and_revoked_by_the_host(here: Told, story: Story) -> None:
    words = ("--name", "small", "--role", "approver", "--kind", "human", "--owner", "small")
    made = here("key", "create", *words, "--approve-up-to", "usd=5000", "--json").value
    assert made["approve_up_to"] == {"usd": 5000}
    assert here("key", "create", *words, "--approve-up-to", "usd=5000.00").code == 2
    replaced = here("key", "rotate", made["id"], "--overlap-seconds", "60", "--json").value
    assert story.app.authenticate(replaced["key"]).credential.id == made["id"]
    assert story.app.authenticate(made["key"]).superseded
    revoked = here("key", "revoke", made["id"], "--reason", "left", "--json").value
    assert revoked["revoked_reason"] == "left"
    assert made["id"] in here("key", "list").text
