"""A caller of the HTTP API, with a key that never stands on a command line (everybody could read it there)."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

import click

from governor.cli.folders import known_addresses
from governor.cli.options import data_option
from governor.cli.wire import Answered, Wire
from governor.domain.errors import FieldError, GovernorError, Invalid, Refused, Unavailable

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


class ApiCaller(Wire):
    """The API at one address, called with one key."""

    def __init__(self, url: str, key: str) -> None:
        super().__init__(url)
        self._key = key

    def __enter__(self) -> Self:
        return self

    def get(self, path: str) -> Any:  # noqa: ANN401  JSON values are any
        """What is there.

        Raises:
            GovernorError: what the API says instead.
        """
        return self._checked(self.ask("GET", path)).body

    def post(
        self, path: str, sent: Mapping[str, Any], *, key: str | None = None, wait_seconds: int = 0
    ) -> Any:  # noqa: ANN401  JSON values are any
        """The answer to a POST under an operation key.

        Raises:
            GovernorError: what the API says instead.
        """
        return self._checked(self.ask("POST", path, sent, key=key, wait_seconds=wait_seconds)).body

    def ask(
        self,
        method: str,
        path: str,
        sent: Mapping[str, Any] | None = None,
        *,
        key: str | None = None,
        wait_seconds: int = 0,
        revision: int | None = None,
    ) -> Answered:
        """Any answer, a refusal too. `revision` makes it a change of exactly that one."""
        headers = {"Authorization": f"Bearer {self._key}"}
        if key is not None:
            headers["Idempotency-Key"] = key
        if wait_seconds:
            headers["Prefer"] = f"wait={wait_seconds}"
        if revision is not None:
            headers["If-Match"] = f'"{revision}"'
        return self.call(method, path, sent, headers)

    @staticmethod
    def _checked(answered: Answered) -> Answered:
        if answered.status < 400:
            return answered
        problem = answered.body if isinstance(answered.body, dict) else {}
        if "Idempotent-Replayed" in answered.headers:
            problem["detail"] = (
                f"{problem.get('detail')} This was decided earlier, under the same operation key."
            )
        raise _error(answered.status, problem)


def _error(status: int, problem: dict[str, Any]) -> GovernorError:
    """A problem document as the error it was made from."""
    code, detail = (
        str(problem.get("code", f"http_{status}")),
        str(problem.get("detail", "No reason was given.")),
    )
    extra = {name: value for name, value in problem.items() if name not in {"code", "detail", "errors"}}
    if problem.get("retryable") or (status >= 500 and code != "invariant_broken"):
        return Unavailable(code, detail, extra)
    if status in {400, 422} and problem.get("errors"):
        errors = tuple(FieldError(one["pointer"], one["code"], one["detail"]) for one in problem["errors"])
        return Invalid(code, detail, extra, errors=errors)
    return Refused(code, detail, extra)


def api_options(command: Decorated) -> Decorated:
    """`--url`, `--key-file` and `--data` of a command that calls the API."""
    for option in (
        data_option("Folder of a running `governor up`, to find its address."),
        click.option(
            "--key-file",
            type=click.Path(path_type=Path, dir_okay=False, allow_dash=True),
            help="File that holds the key, - for standard input; GOVERNOR_KEY when not given.",
        ),
        click.option("--url", envvar="GOVERNOR_URL", help="Where governor answers; else as --data says."),
    ):
        command = option(command)
    return command


def api_caller(url: str | None, key_file: Path | None, data: Path | None) -> ApiCaller:
    """The caller that the options name.

    Raises:
        click.UsageError: no key or no address.
    """
    return ApiCaller(url or known_addresses(data).url, _key(key_file))


def _key(key_file: Path | None) -> str:
    if key_file is None:
        key = os.environ.get("GOVERNOR_KEY", "")
    elif str(key_file) == "-":
        key = sys.stdin.readline()
    else:
        try:
            key = key_file.read_text(encoding="ascii")
        except (OSError, ValueError):
            raise click.UsageError(f"{key_file} cannot be read") from None
    key = key.strip()
    if not key or not key.isascii() or not key.isprintable():
        raise click.UsageError(
            "a key is needed: in GOVERNOR_KEY, or in a file named by --key-file (- is standard input)"
        )
    return key
