"""Why the sandbox brings no webhooks is said in its own words, whatever it was."""

from pathlib import Path

from governor.cli.twin import TwinControl
from governor.cli.up.data_folder import DataFolder, write_secret
from governor.cli.up.stack import SANDBOX_KEY
from governor.cli.up.webhooks import order_webhook, order_webhooks
from governor.webhook_secrets import read_secrets_file
from tests.twin import Twin

HERE = "http://127.0.0.1:9"


def _folder(path: Path) -> DataFolder:
    folder = DataFolder(path)
    write_secret(folder.webhook_secrets, "{}")
    return folder


def test_too_many_endpoints_is_one_reason(twin: Twin, tmp_path: Path) -> None:
    folder = _folder(tmp_path)
    names = [f"env{number}" for number in range(17)]
    refused = order_webhooks(folder, twin.url, HERE, names)
    assert list(refused) == ["env16"]
    assert "16" in refused["env16"]
    assert set(read_secrets_file(folder.webhook_secrets)) == set(names) - {"env16"}
    with TwinControl(twin.url) as control:
        control.forget_events(SANDBOX_KEY)


def test_a_sandbox_that_is_away_is_another(tmp_path: Path) -> None:
    refusal = order_webhook(_folder(tmp_path), "http://127.0.0.1:1", HERE, "test")
    assert refusal == "http://127.0.0.1:1 does not answer."
