"""The project's own files, as version control sees them."""

import subprocess
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


@cache
def files(*patterns: str) -> list[Path]:
    """Files that are tracked or would be, not those that are ignored or deleted."""
    listed = subprocess.check_output(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=ROOT,
        text=True,
    )
    found = sorted({ROOT / name for name in listed.split("\0") if name})
    return [path for path in found if path.is_file()]


def short(path: Path) -> str:
    """A path as the project spells it."""
    return str(path.relative_to(ROOT))
