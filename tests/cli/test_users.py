"""People on the host's command line."""

from pathlib import Path

import pytest

from governor.domain.credentials import Role
from governor.domain.errors import Unauthenticated
from governor.usecases.callers import HOST
from tests.cli.story import ENVIRONMENT, Story
from tests.cli.telling import Heard, Told

PASSWORD = "a long walk to Wednesday"


def _create(here: Told, login: str, *words: str, password: str = PASSWORD) -> Heard:
    return here(
        "user",
        "create",
        login,
        "--name",
        "Somebody",
        "--password-file",
        "-",
        "--json",
        *words,
        stdin=password,
    )


def _opens(story: Story, login: str, password: str) -> bool:
    try:
        story.app.people.sign_in.with_password(login, password, "", "127.0.0.1")
    except Unauthenticated:
        return False
    return True


def test_a_person_is_made_granted_a_role_and_shown(here: Told, story: Story) -> None:
    made = _create(here, "hana")
    assert (made.code, made.value["login"], made.value["password"]) == (0, "hana", True)
    assert _create(here, "hana").value["error"]["code"] == "login_taken"
    granted = here(
        "user", "grant", "hana", "--role", "approver", "--approve-up-to", "usd=5000", "--json"
    ).value
    assert (granted["role"], granted["owner"], granted["approve_up_to"]) == (
        "approver",
        "hana",
        {"usd": 5000},
    )
    assert _opens(story, "hana", PASSWORD)
    seen = here("user", "show", "hana", "--json").value
    assert [one["id"] for one in seen["memberships"]] == [granted["id"]]
    assert [one["how"] for one in seen["sessions"]] == ["password"]
    assert [one["succeeded"] for one in seen["sign_ins"]] == [True]
    assert "hana" in here("user", "list").text
    assert "sessions" in here("user", "show", "hana").text
    revoked = here("user", "revoke", "hana", "--role", "approver", "--reason", "moved on", "--json").value
    assert (revoked["id"], revoked["revoked_reason"]) == (granted["id"], "moved on")
    again = here("user", "revoke", "hana", "--role", "approver", "--json")
    assert (again.code, again.value["error"]["code"]) == (1, "membership_not_found")
    with story.app.store.reading() as reads:
        trail = [row.entry for row in reads.audit(ENVIRONMENT, after=0, at_most=1000)]
    told = [(one.action, one.actor) for one in trail if one.object == granted["id"]]
    assert told == [("credential.created", HOST), ("credential.revoked", HOST)]


def test_a_person_is_signed_out_disabled_and_enabled(here: Told, story: Story) -> None:
    _create(here, "ivo")
    opened = story.app.people.sign_in.with_password("ivo", PASSWORD, "", "127.0.0.1")
    assert here("user", "sign-out", "ivo").code == 0
    with pytest.raises(Unauthenticated, match="session_over"):
        story.app.people.sessions.of(opened.token)
    assert here("user", "disable", "ivo", "--json").value["disabled_at"] is not None
    assert not _opens(story, "ivo", PASSWORD)
    assert here("user", "enable", "ivo", "--json").value["disabled_at"] is None
    assert _opens(story, "ivo", PASSWORD)
    here("user", "grant", "ivo", "--role", "auditor")
    assert here("user", "rename", "ivo", "--name", "Ivo I.", "--json").value["name"] == "Ivo I."
    assert [one["name"] for one in here("user", "show", "ivo", "--json").value["memberships"]] == ["Ivo I."]


def test_a_password_is_replaced_from_a_file(here: Told, story: Story, tmp_path: Path) -> None:
    _create(here, "jon")
    file = tmp_path / "password"
    file.write_text("another walk to Friday\n")
    assert here("user", "password", "jon", "--password-file", str(file)).code == 0
    assert _opens(story, "jon", "another walk to Friday")
    assert not _opens(story, "jon", PASSWORD)
    assert here("user", "password", "jon", "--password-file", str(tmp_path / "none")).code == 2


def test_a_password_is_never_told_and_never_taken_where_there_is_nobody_to_ask(here: Told) -> None:
    """SCENARIOS and RELIABILITY case 188: secrets only by standard input or file."""
    words = ("user", "create", "kim", "--name", "Kim")
    assert here(*words).code == 2
    heard = _create(here, "kim", password="short")
    assert (heard.code, heard.value["error"]["errors"][0]["code"]) == (2, "password_too_short")
    assert "short" not in heard.text.replace("too_short", "")
    assert PASSWORD not in _create(here, "kim").text
    assert "argon2" not in here("user", "show", "kim", "--json").text


def test_who_comes_from_elsewhere_has_no_password(here: Told, story: Story) -> None:
    made = here("user", "create", "lea", "--name", "Lea", "--no-password", "--json").value
    assert made["password"] is False
    assert not _opens(story, "lea", "")
    assert not _opens(story, "lea", PASSWORD)


@pytest.mark.parametrize("login", ["Ada", "a", "a b", "ada@example.com", "ädä", "-ada", "a" * 65])
def test_a_login_has_one_spelling(here: Told, login: str) -> None:
    heard = here("user", "create", "--name", "x", "--no-password", "--json", "--", login)
    assert (heard.code, heard.value["error"]["errors"][0]["pointer"]) == (2, "/login")


def test_nothing_is_done_for_somebody_who_does_not_exist(here: Told) -> None:
    assert here("user", "grant", "nobody", "--role", Role.AUDITOR).code == 1
    assert here("user", "grant", "nobody", "--role", "root").code == 2
    for verb in ("show", "disable", "enable", "sign-out", "remove-totp"):
        assert here("user", verb, "nobody", "--json").value["error"]["code"] == "person_not_found"
