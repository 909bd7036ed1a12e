"""As whom an embedded server runs: PostgreSQL refuses root, so root starts it as nobody (RUNNING.md §2, Root)."""

import os
import pwd
import stat
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Identity:
    """A user for a server process.

    ``user`` and ``group`` are None when the server runs as whoever starts it. ``any_file`` says that the server
    must keep root's access to files, because its binaries or its data lie below a folder only root may enter.
    """

    user: int | None = None
    group: int | None = None
    any_file: bool = False

    def as_lifeline_arguments(self) -> list[str]:
        """The two words the lifeline script expects for this identity."""
        who = "-" if self.user is None else f"{self.user}:{self.group}"
        return [who, "any" if self.any_file else "-"]

    def give(self, folder: Path) -> None:
        """Makes a new folder this identity's own."""
        if self.user is not None and self.group is not None:
            os.chown(folder, self.user, self.group)


def identity_for(*needed: Path) -> Identity:
    """Ourselves; or, when we are root, nobody, who must be able to reach every path in ``needed``."""
    if os.geteuid() != 0:
        return Identity()
    nobody = pwd.getpwnam("nobody")
    return Identity(nobody.pw_uid, nobody.pw_gid, any_file=not all(map(_open_to_all, needed)))


def _open_to_all(path: Path) -> bool:
    """Whether a user without rights can enter every folder above ``path``."""
    return all(parent.stat().st_mode & stat.S_IXOTH for parent in path.resolve().parents)
