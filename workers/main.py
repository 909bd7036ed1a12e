"""`python -m workers.main relay|worker|runner|cron|messenger|metrics`: one process of that kind."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module

from governor.loading import loading
from governor.logging import configure

PROCESSES = ("relay", "worker", "runner", "cron", "messenger", "metrics")
"""The modules of this package with a `main`; only the one that is asked for is loaded."""


def main(arguments: Sequence[str]) -> int:
    """Run the named process; 2 for an unknown name."""
    if len(arguments) != 1 or arguments[0] not in PROCESSES:
        sys.stderr.write(f"usage: python -m workers.main {'|'.join(PROCESSES)}\n")
        return 2
    configure()
    with loading():
        process = import_module(f"workers.{arguments[0]}")
    status: int = process.main()
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
