"""`python -m workers.main relay|worker|runner|cron|messenger|metrics`: one process of that kind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from governor.logging import configure
from workers import cron, messenger, metrics, relay, runner, worker

PROCESSES: dict[str, Callable[[], int]] = {
    "relay": relay.main,
    "worker": worker.main,
    "runner": runner.main,
    "cron": cron.main,
    "messenger": messenger.main,
    "metrics": metrics.main,
}


def main(arguments: Sequence[str]) -> int:
    """Run the named process; 2 for an unknown name."""
    if len(arguments) != 1 or arguments[0] not in PROCESSES:
        sys.stderr.write(f"usage: python -m workers.main {'|'.join(PROCESSES)}\n")
        return 2
    configure()
    return PROCESSES[arguments[0]]()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
