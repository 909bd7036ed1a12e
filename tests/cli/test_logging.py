import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from governor.logging import configure


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = [*root.handlers], root.level
    yield
    structlog.reset_defaults()
    root.handlers[:], root.level = handlers, level


def test_an_event_is_one_line_of_names_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    configure()
    structlog.get_logger().info("dispatch.done", request="rr_1", attempts=2, reason="two\nlines")
    (line,) = capsys.readouterr().err.splitlines()
    assert line.startswith("timestamp=")
    assert "level=info event=dispatch.done" in line
    assert "request=rr_1" in line
    assert r"two\nlines" in line


def test_json_is_for_programs(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GOVERNOR_LOG", "json")
    configure()
    structlog.get_logger().warning("relay.waiting", code="queue_unavailable", times=3)
    told = json.loads(capsys.readouterr().err)
    assert (told["event"], told["level"], told["code"], told["times"]) == (
        "relay.waiting", "warning", "queue_unavailable", 3,
    )  # fmt: skip


def test_libraries_speak_in_the_same_form_when_they_have_something_to_say(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure()
    logging.getLogger("some.library").info("chatter")
    logging.getLogger("some.library").warning("connection to %s lost", "redis://:hush@127.0.0.1:1/0")
    (line,) = capsys.readouterr().err.splitlines()
    assert "level=warning" in line
    assert "logger=some.library" in line
    assert "hush" not in line


@pytest.mark.parametrize(
    "secret",
    [
        "gvk_test_01m8mbvgn5ejftdpdrbmdzhzke_AWEEl3vjhnxh9kXk2qjpHtBj97FVQ0tgdh1jvZSeY9ica7717b3",
        "sk_test_abcdef",
        "rk_test_abcdef",
        "sk_live_abcdef",
        "whsec_abcdef",
        "someone@shop.example",
    ],
)
@pytest.mark.parametrize("form", ["text", "json"])
def test_a_secret_is_masked_wherever_it_stands(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, secret: str, form: str
) -> None:
    monkeypatch.setenv("GOVERNOR_LOG", form)
    configure()
    log, words = structlog.get_logger(), f"key {secret}"
    log.info(words, plain=secret, deep={"list": [secret, {"more": secret}]}, header=f"Bearer {secret}")
    try:
        int(secret)
    except ValueError:
        log.exception("it.failed")
    logging.getLogger("gunicorn.error").error("got %r", secret)
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 3
    assert secret not in said
    assert secret.rsplit("_", maxsplit=1)[-1] not in said
    assert "ValueError" in said


def test_a_librarys_exception_is_told_by_type_and_place_alone(capsys: pytest.CaptureFixture[str]) -> None:
    configure()
    try:
        int("Anna Muster, 4 Mill Lane")
    except ValueError:
        logging.getLogger("some.library").exception("it failed")
    (line,) = capsys.readouterr().err.splitlines()
    assert "error=ValueError" in line
    assert "test_a_librarys_exception_is_told_by_type_and_place_alone" in line
    assert "Anna" not in line


def test_a_password_in_an_address_is_masked_and_the_address_is_not(
    capsys: pytest.CaptureFixture[str],
) -> None:
    configure()
    structlog.get_logger().info("up", url="postgresql+psycopg://governor:hush@127.0.0.1:5432/governor")
    said = capsys.readouterr().err
    assert "hush" not in said
    assert "127.0.0.1:5432/governor" in said
