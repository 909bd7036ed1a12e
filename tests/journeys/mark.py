"""What an attacker would have run: it leaves a file behind, so that a test can see whether it did."""

from pathlib import Path


def leave_a_mark(*where: object, **_: object) -> None:
    """Create the file named by the first argument, or by GOVERNOR_MARK when RQ calls back with a job."""
    Path(str(where[0])).touch()
