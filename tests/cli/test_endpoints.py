"""`governor endpoint`, and what the doctor says of endpoints."""

from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from governor.usecases.callers import host
from tests.cli.story import ENVIRONMENT, Story
from tests.cli.telling import Told
from tests.servers import libpq

SLACK = "https://hooks.slack.com/services/T000/B000/very-secret"


@pytest.fixture(autouse=True)
def _only_the_storys_own(story: Story) -> Iterator[None]:
    yield
    for one in story.app.messages.see.all(host(ENVIRONMENT))[1:]:
        story.app.messages.endpoints.delete(host(ENVIRONMENT), one.endpoint.id)


def test_an_endpoint_lives_from_creation_to_deletion(here: Told, story: Story) -> None:
    made = here(
        "endpoint",
        "create",
        "--url",
        "https://hooks.example.com/in?key=1",
        "--type",
        "refund_request.held",
        "--json",
    )
    assert made.code == 0
    assert made.value["secret"].startswith("whsec_")
    name = made.value["id"]
    shown = here("endpoint", "show", name, "--json").value
    assert (shown["url"], shown["place"], shown["to"]) == (
        "https://hooks.example.com/in?key=1",
        "hooks.example.com",
        None,
    )
    assert "secret" not in shown
    rotated = here("endpoint", "rotate", name, "--overlap-seconds", "60", "--json").value
    assert rotated["secret"].startswith("whsec_")
    assert rotated["secret"] != made.value["secret"]
    assert rotated["previous_until"] is not None
    assert here("endpoint", "test", name).code == 0
    while story.app.messages.tell():
        pass
    (delivery,) = here("endpoint", "deliveries", name, "--json").value["data"]
    assert (delivery["type"], delivery["object"], delivery["state"]) == ("endpoint.tested", name, "pending")
    assert here("endpoint", "replay", name, delivery["message"], "--json").value["tries"] == 0
    assert here("endpoint", "deliveries", name, "--state", "given_up").text == "none yet\n"
    assert here("endpoint", "enable", name, "--json").value["disabled_at"] is None
    assert here("endpoint", "delete", name, "--json").value["deleted_at"] is not None
    assert here("endpoint", "show", name).code == 1
    assert name not in here("endpoint", "list").text


def test_a_slack_url_comes_from_a_file_and_is_shown_nowhere(here: Told) -> None:
    made = here("endpoint", "create", "--kind", "slack", "--url-file", "-", "--json", stdin=f"{SLACK}\n")
    assert made.code == 0
    assert made.value["secret"] is None
    assert made.value["place"] == "hooks.slack.com"
    shown = here("endpoint", "show", made.value["id"])
    assert "very-secret" not in shown.text + made.text + here("endpoint", "list", "--json").text
    assert here("endpoint", "rotate", made.value["id"]).text.endswith("(endpoint_has_no_secret)\n")


def test_what_cannot_be_an_endpoint_is_said_in_words(here: Told) -> None:
    for words, code in (
        (("--url", "http://hooks.example.com/"), "url_refused"),
        (("--url", "https://10.0.0.1/"), "url_refused"),
        ((), "url_missing"),
        (("--kind", "email", "--to", "eve@example.com"), "mail_not_configured"),
        (("--kind", "email", "--to", "nobody"), "to_invalid"),
        (("--url", "https://hooks.example.com/", "--type", "refund.held"), "type_unknown"),
    ):
        refused = here("endpoint", "create", *words, "--json")
        error = refused.value["error"]
        assert code in {error["code"], *(one["code"] for one in error.get("errors", ()))}
        assert refused.code in {1, 2}


def test_the_doctor_names_endpoints_that_take_nothing_and_trails_that_nobody_tells(
    here: Told, story: Story, tmp_path: Path
) -> None:
    def said() -> list[str]:
        heard = here("doctor", "--json")
        return [line["says"] for line in heard.value["checks"] if line["check"] == "messages"]

    def changed(statement: str) -> None:
        url = story.app.engine.url.render_as_string(hide_password=False)
        with psycopg.connect(libpq(url)) as session:
            session.execute(statement.encode())

    while story.app.messages.tell():
        pass
    assert said() == ["every endpoint takes what it is told"]
    changed("UPDATE endpoints SET failing_since = now() - interval '1 day'")
    (failing,) = said()
    assert "takes nothing since" in failing
    changed("UPDATE endpoints SET disabled_at = now(), disabled_reason = 'gone'")
    (disabled,) = said()
    assert "is disabled (gone)" in disabled
    changed("UPDATE endpoints SET failing_since = NULL, disabled_at = NULL, disabled_reason = NULL")
    changed("UPDATE tellings SET seq = 0")
    clock = tmp_path / "an hour later"
    clock.write_text("3600", encoding="ascii")
    heard = here("doctor", "--json", GOVERNOR_DEV_CLOCK=str(clock))
    (late,) = [line["says"] for line in heard.value["checks"] if line["check"] == "messages"]
    assert "does `governor messenger` run?" in late
    changed("UPDATE tellings SET seq = (SELECT audit_seq FROM environments WHERE name = environment)")
