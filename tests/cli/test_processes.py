"""`governor web|relay|worker|cron|messenger`: one process each, on the variables GOVERNOR_* or beside a `governor up`."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from governor.cli import processes
from governor.cli.up.data_folder import Addresses, DataFolder
from governor.cli.up.stack import settings_on
from tests.stack import PATIENCE_SECONDS


def start(folder: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command that is going to refuse, in an empty folder."""
    ours = {name: value for name, value in os.environ.items() if not name.startswith("GOVERNOR_")}
    root = Path(__file__).resolve().parents[2]
    return subprocess.run(
        [sys.executable, "-m", "governor.cli.main", *words],
        capture_output=True,
        text=True,
        check=False,
        cwd=folder,
        timeout=PATIENCE_SECONDS,
        env={**ours, "PYTHONPATH": str(root), **variables},
    )


@pytest.mark.parametrize("process", ["web", "relay", "worker", "runner", "cron", "messenger", "metrics"])
def test_what_is_missing_is_said_in_one_line(tmp_path: Path, process: str) -> None:
    database = "postgresql+psycopg://nobody:secret@127.0.0.1:1/nothing"
    refused = start(tmp_path, process, GOVERNOR_DATABASE_URL=database)
    assert refused.returncode == 2
    (said,) = [line for line in refused.stderr.splitlines() if line.startswith("Error")]
    assert "GOVERNOR_REDIS_URL" in said
    assert "GOVERNOR_PEPPER" in said
    assert "GOVERNOR_STRIPE_KEY" in said
    assert "secret" not in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_live_key_is_refused_before_anything_starts(tmp_path: Path) -> None:
    """RELIABILITY §4.10, 190; the other settings are in tests/unit/test_settings.py."""
    live = "sk_live_" + "1"
    refused = start(
        tmp_path,
        "worker",
        GOVERNOR_DATABASE_URL="postgresql+psycopg://nobody@127.0.0.1:1/nothing",
        GOVERNOR_REDIS_URL="redis://127.0.0.1:1",
        GOVERNOR_PEPPER="p" * 40,
        GOVERNOR_STRIPE_KEY=live,
    )
    assert refused.returncode == 2
    assert "must be a test-mode key" in refused.stderr
    assert live not in refused.stderr


def test_beside_nothing_there_is_nothing_to_start(tmp_path: Path) -> None:
    assert start(tmp_path, "relay", "--data", str(tmp_path)).returncode == 2


def test_beside_a_governor_up_a_process_is_told_what_its_own_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = DataFolder(tmp_path)
    addresses = Addresses(
        "http://a:1", "http://localhost:2", "postgresql+psycopg://a:3/x", "redis://a:4", True
    )
    folder.keep_addresses(addresses)
    told = settings_on(folder, addresses)
    assert told["GOVERNOR_WEBHOOK_SECRETS_FILE"] == str(folder.webhook_secrets)
    for name in told:
        monkeypatch.setenv(name, "1")
    monkeypatch.setattr(processes, "_become", lambda *_: None)
    done = CliRunner().invoke(processes.web, ["--data", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert {name: os.environ[name] for name in told} == told
