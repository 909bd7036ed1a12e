"""Which `governor up` folder a command works on or beside. Light: a command that only calls the API needs no more."""

from __future__ import annotations

import os
from pathlib import Path

import click

from governor.cli.up.data_folder import DEFAULT_FOLDER, Addresses, DataFolder


def chosen_folder(data: Path | None) -> Path | None:
    """The folder that is worked on; None when the variables GOVERNOR_* say everything."""
    return None if data is None and "GOVERNOR_DATABASE_URL" in os.environ else data or DEFAULT_FOLDER


def known_addresses(data: Path | None) -> Addresses:
    """Where the `governor up` of a folder is or was.

    Raises:
        click.UsageError: no `governor up` has worked there.
    """
    addresses = named_folder(data).addresses()
    if addresses is None:
        raise click.UsageError(f"no `governor up` has become ready in {data or DEFAULT_FOLDER}")
    return addresses


def named_folder(data: Path | None) -> DataFolder:
    """The named folder, or the default one, which must be there.

    Raises:
        click.UsageError: it is not.
    """
    path = data or DEFAULT_FOLDER
    if not path.is_dir():
        raise click.UsageError(
            "say what to work on: --data with the folder of a `governor up`, or the variables GOVERNOR_*"
            if data is None
            else f"there is no folder {path}"
        )
    return DataFolder(path)
