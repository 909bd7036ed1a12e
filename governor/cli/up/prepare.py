"""Migrates, and makes the demo data; a process of its own, so that the supervisor need not load what only this needs.

Reads the variables of governor.cli.up.stack. Run as ``python -m governor.cli.up.prepare [--demo NAME]``, where NAME
says which database the demo keys belong to; keys that are known for it already are left alone.
"""

import importlib
import os
import sys
from pathlib import Path

from adapters.sql.migrate import upgrade
from governor.cli.up.data_folder import DataFolder


def main(arguments: list[str]) -> None:
    """Does both, the second only with ``--demo``."""
    database_url = os.environ["GOVERNOR_DATABASE_URL"]
    upgrade(database_url)
    match arguments:
        case ["--demo", database]:
            _ensure_demo(database, database_url)


def _ensure_demo(database: str, database_url: str) -> None:
    """Makes the demo data once per database and keeps its keys in the data folder."""
    folder = DataFolder(Path(os.environ["GOVERNOR_DATA"]))
    if folder.demo(database) is None:
        # Loaded only now: the demo needs the whole of governor, and most starts do not need the demo.
        demo = importlib.import_module("governor.cli.up.demo").ensure(
            database_url=database_url,
            redis_url=os.environ["GOVERNOR_REDIS_URL"],
            sandbox_url=os.environ["GOVERNOR_PROVIDER_URL"],
            pepper=os.environ["GOVERNOR_PEPPER"],
        )
        folder.keep_demo(database, demo)


if __name__ == "__main__":
    main(sys.argv[1:])
