"""The secrets of webhooks: checked at the start, changed without a stop, shown nowhere."""

from __future__ import annotations

from pathlib import Path

import pytest
from pydantic import ValidationError

from governor.domain.errors import Unavailable
from governor.settings import Settings
from governor.webhook_secrets import WebhookSecrets
from tests.builders import settings

DATABASE, REDIS = "postgresql+psycopg://nobody@127.0.0.1:1/nothing", "redis://127.0.0.1:1"
ONE = '{"test": ["whsec_one", "whsec_two"]}'


def made(**fields: object) -> Settings:
    return settings(DATABASE, REDIS, **fields)


def test_without_settings_no_environment_has_a_secret() -> None:
    assert made().webhook_secrets_here() == {}
    assert WebhookSecrets({}, None)("test") == ()


def test_an_environment_has_several_secrets_and_only_its_own() -> None:
    secrets = WebhookSecrets(made(webhook_secrets=ONE).webhook_secrets_here(), None)
    assert secrets("test") == ("whsec_one", "whsec_two")
    assert secrets("other") == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "whsec_one",
        "[]",
        '{"test": "whsec_one"}',
        '{"test": []}',
        '{"test": ["one"]}',
        '{"test": [null]}',
        '{"test": ["whsec_"]}',
        '{"test": ["whsec_a b"]}',
        '{"test": ' + str(["whsec_one"] * 17).replace("'", '"') + "}",
    ],
)
def test_secrets_that_cannot_be_used_stop_the_process_and_are_not_repeated(text: str) -> None:
    with pytest.raises(ValidationError) as refusal:
        made(webhook_secrets=text)
    assert "webhook secrets are" in str(refusal.value)
    assert "whsec_one" not in str(refusal.value)


def test_a_file_that_cannot_be_used_stops_the_process_too(tmp_path: Path) -> None:
    kept = tmp_path / "secrets.json"
    kept.write_text("{}{}", encoding="utf-8")
    for unusable in (kept, tmp_path):
        with pytest.raises(ValidationError):
            made(webhook_secrets_file=unusable)


def test_what_the_file_says_now_counts_at_once(tmp_path: Path) -> None:
    """RELIABILITY H9: a secret is added, the old one taken away, and nothing is restarted."""
    kept = tmp_path / "secrets.json"
    secrets = WebhookSecrets(
        made(webhook_secrets=ONE, webhook_secrets_file=kept).webhook_secrets_here(), kept
    )
    assert secrets("test") == ("whsec_one", "whsec_two")
    kept.write_text('{"test": ["whsec_three"], "new": ["whsec_four"]}', encoding="utf-8")
    assert secrets("test") == ("whsec_one", "whsec_two", "whsec_three")
    assert secrets("new") == ("whsec_four",)
    kept.write_text("half", encoding="utf-8")
    with pytest.raises(Unavailable) as refusal:
        secrets("test")
    assert refusal.value.code == "event_not_recorded"


def test_no_secret_is_shown() -> None:
    known = made(webhook_secrets=ONE)
    assert "whsec_one" not in repr(known) + repr(WebhookSecrets(known.webhook_secrets_here(), None))
