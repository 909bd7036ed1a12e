"""Several processes, started once per session, set off at the same instant again and again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from types import TracebackType
from typing import IO, Any, Self

from governor.settings import Settings
from tests.stack import PATIENCE_SECONDS, PROJECT, settings_as_variables


class Ring:
    """`with Ring(2) as ring: ring.enter(settings); ring.race(order, order)`."""

    def __init__(self, contenders: int) -> None:
        read_end, self._barrier = os.pipe()
        command = [sys.executable, "-m", "tests.races.contender", str(read_end)]
        self._processes = [
            subprocess.Popen(
                command,
                cwd=PROJECT,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                pass_fds=[read_end],
            )
            for _ in range(contenders)
        ]
        os.close(read_end)

    def enter(self, settings: Settings) -> None:
        """All contenders build an application of their own with these settings."""
        for process in self._processes:
            _send(process, {"do": "enter", "settings": settings_as_variables(settings)})
        assert [_output(process).readline() for process in self._processes] == ["ready\n"] * len(
            self._processes
        )

    def race(self, *orders: dict[str, Any]) -> list[dict[str, Any]]:
        """Each contender gets its order, all are ready, all are set off by one write; their results in order."""
        running = self._processes[: len(orders)]
        for process, order in zip(running, orders, strict=True):
            _send(process, order)
        assert [_output(process).readline() for process in running] == ["ready\n"] * len(orders)
        os.write(self._barrier, b"!" * len(orders))
        return [json.loads(_output(process).readline()) for process in running]

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End of input ends a contender; one that does not end is killed, and that is an error."""
        os.close(self._barrier)
        for process in self._processes:
            try:
                process.communicate(timeout=PATIENCE_SECONDS)
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                raise


def _send(process: subprocess.Popen[str], order: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps(order) + "\n")
    process.stdin.flush()


def _output(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdout is not None
    return process.stdout
