"""`governor up` as a newcomer meets it: started, used, looked at from beside, stopped, looked at once more."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
import psycopg

from governor.cli.caller import ApiCaller
from governor.cli.twin import TwinControl
from governor.cli.up.data_folder import DataFolder
from tests.servers import libpq
from tests.stack import PATIENCE_SECONDS, PROJECT, eventually
from tests.supervisor.running import alive, command_of

ALL_OF_THEM = "2 web, 1 relay, 1 worker, 1 cron, 1 runner and 1 messenger"
GOVERNOR = (sys.executable, "-m", "governor.cli.main")


@contextmanager
def _up(data: Path) -> Iterator[tuple[subprocess.Popen[bytes], dict[str, Any]]]:
    """A real `governor up` and what its ready file says; killed at the end if it still runs."""
    ready, said = data.parent / "ready.json", data.parent / "said.txt"
    with said.open("ab") as log:
        process = subprocess.Popen(
            [*GOVERNOR, "up", "--data", str(data), "--port", "0", "--ready-file", str(ready)],
            cwd=PROJECT,
            stdout=log,
            stderr=log,
        )
    try:
        eventually(lambda: ready.exists() or process.poll() is not None, said.read_text)
        assert process.poll() is None, said.read_text()
        yield process, json.loads(ready.read_text())
    finally:
        if process.poll() is None:
            process.terminate()
        process.wait(PATIENCE_SECONDS)


def _governor(*words: str, **variables: str) -> tuple[int, dict[str, Any]]:
    done = subprocess.run(
        [*GOVERNOR, *words, "--json"],
        cwd=PROJECT,
        env=os.environ | {"GOVERNOR_ENVIRONMENT": "test"} | variables,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.returncode, json.loads(done.stdout)


def _living(*beside: str) -> str:
    """Which processes live, as the doctor says; all that it says when not all is well."""
    code, doctor = _governor(*beside, "doctor")
    said = [one["says"] for one in doctor["checks"] if one["check"] == "processes"]
    return str(said[0]).removesuffix(" live") if code == 0 else str(doctor)


def _webhooks_come(data: Path, environment: str, payment: str) -> None:
    """What the sandbox tells of a payment is in an environment's inbox and was read, and its webhooks brought some of it.

    A poll may be first with all that is told of one refund; then another is made.
    """
    addresses = DataFolder(data).addresses()
    assert addresses is not None
    asked = (
        "SELECT refund, via FROM provider_events WHERE environment = %s AND payment = %s AND result = 'seen'"
    )
    with (
        psycopg.connect(libpq(addresses.database_url), autocommit=True) as session,
        TwinControl(addresses.sandbox_url) as twin,
    ):

        def read() -> dict[str, str]:
            return dict(session.execute(asked, [environment, payment]).fetchall())

        def one_came_by_webhook() -> bool:
            refund = twin.call("POST", "/_sandbox/refunds", {"payment": payment, "amount": 1}).body["id"]
            eventually(lambda: refund in read(), lambda: str(read()))
            return "webhook" in read().values()

        eventually(one_came_by_webhook, lambda: str(read()))


def test_from_nothing_to_a_governed_refund_and_back_to_nothing(tmp_path: Path) -> None:
    data = tmp_path / "data"
    beside = ("--data", str(data))
    with _up(data) as (process, told):
        family = psutil.Process(process.pid).children(recursive=True)
        payment = told["payments"][0]
        with ApiCaller(told["url"], told["keys"]["agent"]) as agent:
            sent = {"payment": payment, "amount": 500, "currency": "usd"}
            asked = agent.ask("POST", "/api/v1/refund-requests", sent, key="journey-up-1")
            assert asked.status == 202
            path = f"/api/v1/refund-requests/{asked.body['id']}"
            eventually(lambda: agent.get(path)["state"] == "succeeded")
        with TwinControl(told["sandbox_url"]) as twin:
            assert [write["amount"] for write in twin.writes(payment)] == [500]
        _webhooks_come(data, "test", told["payments"][1])
        assert _governor(*beside, "env", "create", "second")[0] == 0
        _webhooks_come(data, "second", told["payments"][2])
        assert _governor(*beside, "fsck")[1]["fsck"] == "clean"
        eventually(lambda: _living(*beside) == ALL_OF_THEM, lambda: _living(*beside))
        code, limits = _governor(*beside, "limit", "list")
        assert (code, len(limits["data"])) == (0, 6)
        code, played = _governor(*beside, "demo", "two-agents")
        assert (code, played["ok"], len(played["writes"])) == (0, True, 1)
        assert played["refused"]["problem"]["limits"][0]["headroom"] >= 0
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE_SECONDS)
        assert process.returncode == 0
        assert alive(family) == []
    # The folder of a stopped one is looked into with its own database, which is gone again afterwards.
    assert _governor(*beside, "fsck")[1]["refund_requests"] == 3
    assert _governor(*beside, "limit", "list")[1] == limits
    assert not [
        one
        for one in psutil.process_iter(["name"])
        if one.info["name"] == "postgres" and str(data) in command_of(one)
    ]
