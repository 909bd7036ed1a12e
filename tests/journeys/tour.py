"""The commands of a page and what they are said to answer: ```sh blocks, each with the ```output block behind it."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

from tests.stack import PATIENCE_SECONDS

_BLOCK = re.compile(r"^ *```(sh|output)\n(.*?)^ *```$", re.MULTILINE | re.DOTALL)
_BETWEEN = "--- and now the next block ---"


@dataclass(frozen=True)
class Step:
    """Commands, and what they answer; `…` stands for what differs from run to run, alone in a line for any lines."""

    commands: str
    answer: str = ""

    def fits(self, answered: str) -> bool:
        """Whether an answer is as it is said to be."""
        lines = [
            r"(?:.*\n)*?" if line.strip() == "…" else re.escape(line).replace("…", ".*") + r"\n"
            for line in self.answer.splitlines()
        ]
        return re.fullmatch("".join(lines), answered) is not None


def steps(page: Path, heading: str) -> list[Step]:
    """The steps under a heading of a page, in order."""
    section = re.split(r"^## ", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    text = next(part for part in section if part.startswith(f"{heading}\n"))
    found: list[Step] = []
    for kind, words in _BLOCK.findall(text):
        if kind == "sh":
            found.append(Step(dedent(words)))
        else:
            assert found, "an answer without commands"
            assert not found[-1].answer, f"two answers to the same commands: {words}"
            found[-1] = Step(found[-1].commands, dedent(words))
    return found


def take(tour: list[Step], folder: Path, environment: Mapping[str, str]) -> list[str]:
    """What the steps answer, taken one after the other in one shell that remembers; stops at the first that fails."""
    script = f"\necho '{_BETWEEN}'\n".join(["set -eu", *(step.commands for step in tour)])
    shell = subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env=dict(environment),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=PATIENCE_SECONDS * len(tour),
        check=False,
    )
    assert shell.returncode == 0, shell.stdout
    return shell.stdout.split(f"{_BETWEEN}\n")[1:]
