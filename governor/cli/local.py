"""governor on this machine, without HTTP: how the commands that work on the database itself get there."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import click
from pydantic import ValidationError

from adapters.embedded.folder_lock import FolderInUseError
from adapters.embedded.postgres import EmbeddedPostgres
from adapters.embedded.server_process import ServerDidNotStartError
from governor.bootstrap import Application, build
from governor.cli.folders import chosen_folder, known_addresses, named_folder
from governor.cli.up.data_folder import Addresses, DataFolder
from governor.cli.up.stack import settings_on
from governor.domain.errors import Unavailable
from governor.logging import configure
from governor.settings import Settings
from governor.usecases.callers import Caller, host


@contextmanager
def application(data: Path | None) -> Iterator[Application]:
    """The application over the chosen installation; its connections end with the block."""
    configure()
    with settings(data) as found:
        try:
            app = build(found)
        except ValueError as error:
            raise click.UsageError(str(error)) from None
        try:
            yield app
        finally:
            app.engine.dispose()


@contextmanager
def settings(data: Path | None) -> Iterator[Settings]:
    """The settings of the named `governor up` folder, else of the variables GOVERNOR_*, else of the default folder.

    When nobody runs on the folder, its embedded database is started for the length of the block.

    Raises:
        click.UsageError: there is nothing to work on, or a variable cannot be used.
    """
    if chosen_folder(data) is None:
        yield from_variables()
        return
    folder = named_folder(data)
    addresses = known_addresses(data)
    with _running_database(folder, addresses) as database_url:
        named = settings_on(folder, replace(addresses, database_url=database_url))
        yield Settings.model_validate(
            {name.removeprefix("GOVERNOR_").lower(): value for name, value in named.items()}
            | {"database_pool": 2}
        )


@contextmanager
def database(data: Path | None) -> Iterator[str]:
    """The URL of the database alone: enough to migrate it, whatever else is not set yet."""
    url = os.environ.get("GOVERNOR_DATABASE_URL")
    if data is None and url is not None:
        if not url.startswith("postgresql+psycopg://"):
            raise click.UsageError("GOVERNOR_DATABASE_URL must begin with postgresql+psycopg://")
        yield url
        return
    with settings(data) as found:
        yield found.database_url.get_secret_value()


def from_variables() -> Settings:
    """The settings as the variables GOVERNOR_* say them.

    Raises:
        click.UsageError: in one line, all that is missing or cannot be used; never a value.
    """
    try:
        return Settings()
    except ValidationError as error:
        wrong = [
            f"GOVERNOR_{one['loc'][0]}".upper() + f": {one['msg']}" if one["loc"] else one["msg"]
            for one in error.errors(include_input=False, include_context=False, include_url=False)
        ]
        raise click.UsageError("; ".join(wrong)) from None


@contextmanager
def _running_database(folder: DataFolder, addresses: Addresses) -> Iterator[str]:
    """The URL of the folder's database, started here when its supervisor is not at work.

    Raises:
        Unavailable: `database_unavailable` when it does not start.
    """
    if not addresses.embedded_database or not _claimed(folder):
        yield addresses.database_url
        return
    try:
        folder.wait_for_predecessor()
        server = EmbeddedPostgres(folder.postgres)
        server.start()
        try:
            yield server.url()
        finally:
            server.stop()
    except (FolderInUseError, ServerDidNotStartError) as error:
        raise Unavailable("database_unavailable", str(error)) from error
    finally:
        folder.release()


def _claimed(folder: DataFolder) -> bool:
    """Whether nobody else is at work there, and we are now."""
    try:
        folder.claim()
    except FolderInUseError:
        return False
    return True


def host_in(app: Application, environment: str | None) -> Caller:
    """Whoever operates this machine, in the named environment or in the only one.

    Raises:
        click.UsageError: none is named and there are several, or none.
    """
    if environment is not None:
        return host(environment)
    with app.store.reading() as reads:
        names = [one.name for one in reads.environments()]
    if len(names) != 1:
        raise click.UsageError(f"say which --environment: {', '.join(names) or 'there is none yet'}")
    return host(names[0])
