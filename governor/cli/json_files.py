"""What commands are given in files of JSON: one thing, or a list as `--json` says it."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, TypeVar

import click
from pydantic import ValidationError

from governor.api.inputs import Input, refusal

Model = TypeVar("Model", bound=Input)

FILE = click.Path(path_type=Path, dir_okay=False, allow_dash=True)
"""A file, - for standard input."""


def one_in(file: Path) -> dict[str, Any]:
    """The JSON object in a file.

    Raises:
        click.UsageError: there is none.
    """
    form = _json(file)
    if not isinstance(form, dict):
        raise click.UsageError(f"{file} holds no JSON object")
    return form


def all_in(file: Path) -> Iterator[dict[str, Any]]:
    """The JSON objects of the list in a file; or of the `data` that a list command says.

    Raises:
        click.UsageError: there is none.
    """
    form = _json(file)
    rows = form.get("data") if isinstance(form, dict) else form
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise click.UsageError(f"{file} holds no list of JSON objects")
    yield from rows


def fitting(model: type[Model], form: dict[str, Any], told: Collection[str]) -> Model:
    """A form as its model; `told` are members that a look says and nobody sets.

    Raises:
        Invalid: with everything that is wrong.
    """
    try:
        return model.model_validate({name: form[name] for name in form if name not in told})
    except ValidationError as error:
        raise refusal(error) from None


def _json(file: Path) -> Any:  # noqa: ANN401  JSON values are any
    try:
        with click.open_file(str(file), encoding="utf-8") as opened:
            return json.load(opened)
    except (OSError, ValueError, RecursionError):
        raise click.UsageError(f"{file} cannot be read as JSON") from None
