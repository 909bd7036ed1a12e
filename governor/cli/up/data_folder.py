"""The one folder `governor up` keeps everything in, and what in it must survive: data, secrets, demo keys."""

import json
import os
import secrets
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final

from adapters.embedded.folder_lock import FolderLock

DEFAULT_FOLDER: Final = Path(".governor")

# An earlier supervisor that was killed leaves its guard for seven seconds (governor.cli.up.guard), and for longer where
# a crowded machine ends processes slowly: who waits loses nothing, who gives up too early has to start again by hand.
GUARD_SECONDS: Final = 60.0

_PEPPER, _ADDRESSES, _DEMO, _WEBHOOK_SECRETS = "pepper", "addresses.json", "demo.json", "webhook-secrets.json"
SECRET_FILES: Final = (_PEPPER, _ADDRESSES, _DEMO, _WEBHOOK_SECRETS, "postgres/password", "redis/password")
"""What in the folder only its owner may read; not all of it is in every folder."""


@dataclass(frozen=True)
class Demo:
    """What the demo data consists of.

    API keys by role (``agent``, ``approver_2``, …), payments to refund, and passwords of the people who hold the same
    roles in the console, by login.
    """

    keys: dict[str, str]
    payments: list[str]
    passwords: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Addresses:
    """Where everything of the last start is. An embedded database answers there only while `governor up` runs."""

    url: str
    sandbox_url: str
    database_url: str
    redis_url: str
    embedded_database: bool


class DataFolder:
    """The folder, made when it is missing; its secrets are files that only their owner can read."""

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()
        self.path.mkdir(parents=True, exist_ok=True)
        # PostgreSQL, which root runs as nobody, must be able to pass through to its own folder.
        self.path.chmod(0o711)
        self._lock = FolderLock(self.path)
        self._guard_lock = FolderLock(self.path, "guard.lock")

    @property
    def postgres(self) -> Path:
        """Where the embedded PostgreSQL lives."""
        return self.path / "postgres"

    @property
    def redis(self) -> Path:
        """Where the embedded Redis-protocol server lives."""
        return self.path / "redis"

    @property
    def sandbox_state(self) -> Path:
        """The provider twin's state."""
        return self.path / "sandbox.sqlite"

    @property
    def webhook_secrets(self) -> Path:
        """What the twin's webhooks are signed with (GOVERNOR_WEBHOOK_SECRETS_FILE)."""
        return self.path / _WEBHOOK_SECRETS

    def claim(self) -> None:
        """Makes this process the folder's only supervisor. Raises FolderInUseError when there is one."""
        self._lock.acquire()

    def wait_for_predecessor(self) -> int:
        """Waits until nothing of a killed supervisor runs; the lock to give to our own guard.

        Raises FolderInUseError when that takes longer than a guard works.
        """
        self._guard_lock.acquire(wait_seconds=GUARD_SECONDS)
        return self._guard_lock.descriptor

    def release(self) -> None:
        """Lets the next one in, after ``claim`` and ``wait_for_predecessor``."""
        self._guard_lock.release()
        self._lock.release()

    def addresses(self) -> Addresses | None:
        """Where everything of the last start was, if there was one."""
        kept = self.path / _ADDRESSES
        return Addresses(**json.loads(kept.read_text(encoding="utf-8"))) if kept.exists() else None

    def keep_addresses(self, addresses: Addresses) -> None:
        """Keeps them for the commands that work beside `governor up`; they hold the servers' passwords."""
        write_secret(self.path / _ADDRESSES, json.dumps(asdict(addresses), indent=2))

    def pepper(self) -> str:
        """The secret under which API keys are hashed; made once, since without it every key is void."""
        kept = self.path / _PEPPER
        if not kept.exists():
            write_secret(kept, secrets.token_urlsafe(32))
        return kept.read_text(encoding="ascii")

    def demo(self, database: str) -> Demo | None:
        """The demo data made earlier in that database (``embedded``, or its URL without secrets), if there is any."""
        record = self._demo_record()
        return Demo(**record["demo"]) if record.get("database") == database else None

    def last_demo(self) -> Demo | None:
        """The demo data made last, in whichever database."""
        record = self._demo_record()
        return Demo(**record["demo"]) if record else None

    def _demo_record(self) -> dict[str, Any]:
        kept = self.path / _DEMO
        record: dict[str, Any] = json.loads(kept.read_text(encoding="utf-8")) if kept.exists() else {}
        # What was kept in another form is of an older governor, whose demo is made anew.
        return record if record.keys() == {"database", "demo"} else {}

    def keep_demo(self, database: str, demo: Demo) -> None:
        """Keeps the keys and passwords, which nobody can read back from the database."""
        record = {"database": database, "demo": asdict(demo)}
        write_secret(self.path / _DEMO, json.dumps(record, indent=2))


def write_secret(path: Path, text: str) -> None:
    """Writes a file that its owner alone can read, and that no one ever sees half written."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    beside.replace(path)
