"""Migrates, makes the demo data, orders webhooks; a process of its own, so that the supervisor need not load all that.

Reads the variables of governor.cli.up.stack. Run as ``python -m governor.cli.up.prepare URL [--demo NAME]``, where URL
is where governor answers, and NAME says which database the demo keys belong to; keys that are known for it already
are left alone.
"""

import importlib
import os
import sys
from pathlib import Path

from adapters.sql.engine import make_engine
from adapters.sql.migrate import upgrade
from adapters.sql.reads import SqlReads
from governor.cli.up.data_folder import DataFolder
from governor.cli.up.webhooks import order_webhooks


def main(arguments: list[str]) -> None:
    """Does all of it, the demo only with ``--demo``."""
    database_url, folder = os.environ["GOVERNOR_DATABASE_URL"], DataFolder(Path(os.environ["GOVERNOR_DATA"]))
    upgrade(database_url)
    url, *rest = arguments
    match rest:
        case ["--demo", database]:
            _ensure_demo(database, database_url, folder)
    refused = order_webhooks(folder, os.environ["GOVERNOR_PROVIDER_URL"], url, environments_in(database_url))
    for environment, refusal in refused.items():
        sys.stdout.write(f"the sandbox brings no webhooks to {environment}: {refusal}\n")


def environments_in(database_url: str) -> list[str]:
    """The environments that were founded so far."""
    engine = make_engine(database_url, pool_size=1)
    try:
        with engine.connect() as connection:
            return [one.name for one in SqlReads(connection).environments()]
    finally:
        engine.dispose()


def _ensure_demo(database: str, database_url: str, folder: DataFolder) -> None:
    """Makes the demo data once per database and keeps its keys in the data folder."""
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
