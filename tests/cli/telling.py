"""Telling the command line something, and its answer."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from click.testing import CliRunner

from governor.cli.main import main


@dataclass(frozen=True)
class Heard:
    """How a command ended and what it said; `value` is its JSON, None without --json."""

    code: int
    text: str
    value: Any


class Told(Protocol):
    """`tell`, on something."""

    def __call__(self, *words: str, stdin: str | None = None, **variables: str) -> Heard: ...


def tell(*words: str, stdin: str | None = None, **variables: str) -> Heard:
    """Runs `governor WORDS…` in this process, with these environment variables too."""
    environment: Mapping[str, str] = variables
    result = CliRunner().invoke(main, list(words), input=stdin, env=environment)
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    value = json.loads(result.stdout) if "--json" in words and result.stdout.startswith("{") else None
    return Heard(result.exit_code, result.output, value)
