"""`governor db`: the schema, brought up to this code or taken away."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import click
from sqlalchemy import create_engine, exc

from adapters.sql import migrate
from governor.cli.local import database
from governor.cli.options import data_option
from governor.cli.saying import REFUSED, USAGE, Group, Said, shown
from governor.domain.errors import Unavailable

Found = TypeVar("Found")


@click.group("db", cls=Group)
def db() -> None:
    """The database's schema."""


@db.command("upgrade")
@data_option()
def upgrade(data: Path | None) -> Said:
    """Bring the schema to the revision of this code. Safe to run by several at once."""
    with database(data) as url:
        _reached(migrate.upgrade, url)
        return _status(url)


@db.command("status")
@data_option()
def status(data: Path | None) -> Said:
    """The database's revision and this code's. Exit 1 when they differ."""
    with database(data) as url:
        return _status(url)


@db.command("downgrade")
@click.option(
    "--yes-destroy", is_flag=True, help="Really: every refund request, limit, key and audit row goes."
)
@data_option()
def downgrade(yes_destroy: bool, data: Path | None) -> Said:
    """Take the schema away, with everything in it."""
    if not yes_destroy:
        says = "this destroys everything governor knows; say --yes-destroy if that is wanted"
        return Said({"error": {"code": "not_confirmed", "detail": says}}, f"governor: {says}", USAGE)
    with database(data) as url:
        _reached(migrate.downgrade, url)
        return shown({"current": None})


def _status(url: str) -> Said:
    current, wanted = _reached(_revisions, url)
    return shown({"current": current, "wanted": wanted}, exit_code=0 if current == wanted else REFUSED)


def _revisions(url: str) -> tuple[str | None, str | None]:
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            return migrate.revisions(connection)
    finally:
        engine.dispose()


def _reached(act: Callable[[str], Found], url: str) -> Found:
    try:
        return act(url)
    except exc.OperationalError as error:
        raise Unavailable("database_unavailable", "The database cannot be reached.") from error
