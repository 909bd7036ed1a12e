"""What somebody saw of something that others change, too, before they change it: no change of another is lost."""

from __future__ import annotations

import re
from dataclasses import dataclass

_SPELLED = re.compile(r"([0-9]{1,18})(?:-([0-9a-f]{12}))?")


@dataclass(frozen=True)
class AsSeen:
    """A revision, and what time had made of it then.

    `moment` tells apart what time alone makes of one revision (governor.usecases.limit_history); None where nothing was
    to begin or to end, and where whoever changes it has not looked.
    """

    revision: int
    moment: str | None = None

    def __str__(self) -> str:
        """As it stands in an ETag and in a form."""
        return str(self.revision) if self.moment is None else f"{self.revision}-{self.moment}"


def read_seen(spelled: str) -> AsSeen:
    """What somebody says they saw.

    Raises:
        ValueError: nobody was ever shown this.
    """
    match = _SPELLED.fullmatch(spelled)
    if match is None:
        raise ValueError("Open the page again: it is not known what it showed.")
    return AsSeen(int(match[1]), match[2])
