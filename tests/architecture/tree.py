"""The project's own files: everything in its folder but what .gitignore names. Needs no git."""

import os
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
_IGNORED = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
_FOLDERS = {".git", *(line.rstrip("/") for line in _IGNORED if line.endswith("/") and "*" not in line)}
_ENDINGS = tuple(line.lstrip("*").rstrip("/") for line in _IGNORED if line.startswith("*"))


@cache
def files(ending: str = "") -> list[Path]:
    """The project's files whose path ends so."""
    found = []
    for folder, below, names in os.walk(ROOT):
        below[:] = [name for name in below if name not in _FOLDERS and not name.endswith(_ENDINGS)]
        found += [Path(folder, name) for name in names if not name.endswith(_ENDINGS)]
    return sorted(path for path in found if short(path).endswith(ending))


def short(path: Path) -> str:
    """A path as the project spells it."""
    return path.relative_to(ROOT).as_posix()
