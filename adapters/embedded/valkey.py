"""The embedded Redis-protocol server (it is Valkey): every acknowledged job in a log on disk, nothing evicted.

It listens on loopback TCP with a password, not on a unix socket: RQ's spawned processes and every redis-py client
understand that form (RUNNING.md §1), and paths of sockets have a length limit that folders do not.
"""

import secrets
import signal
import time
from pathlib import Path
from typing import Final

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from adapters.embedded.binaries import find_redis
from adapters.embedded.folder_lock import FolderLock
from adapters.embedded.identity import Identity
from adapters.embedded.server_process import LOOPBACK, ServerDidNotStartError, ServerProcess, free_port

_START_SECONDS: Final = 30.0
_PREDECESSOR_SECONDS: Final = 10.0


class EmbeddedRedis:
    """A Redis-protocol server on the data in ``folder``; only one at a time per folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()
        self._configuration = self._folder / "valkey.conf"
        self._password_file = self._folder / "password"
        self._binary = find_redis()
        self._lock = FolderLock(self._folder)
        self._server = ServerProcess(self._folder / "valkey.log", signal.SIGTERM, Identity())
        self._port = 0

    @property
    def pid(self) -> int | None:
        """The server's process id, or None when it does not run."""
        return self._server.pid

    @property
    def url(self) -> str:
        """Its URL, password included."""
        return f"redis://:{self._password()}@{LOOPBACK}:{self._port}/0"

    def start(self) -> None:
        """Starts the server, on the same port as before if this object started it before.

        Raises FolderInUseError, BinariesNotFoundError or ServerDidNotStartError; does nothing when it runs.
        """
        if self.pid is not None:
            return
        self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        # Nothing in the server stops two of them from writing one log file (RUNNING.md §1).
        self._lock.acquire(wait_seconds=_PREDECESSOR_SECONDS)
        try:
            self._run()
        except BaseException:
            self.stop()
            raise

    def stop(self, patience_seconds: float = 5.0) -> None:
        """Flushes its log and stops; harsher after a while. Frees the folder."""
        self._server.stop((signal.SIGTERM, patience_seconds))
        self._lock.release()

    def _run(self) -> None:
        """Launches and waits until it answers."""
        self._port = self._port or free_port()
        self._write_configuration()
        argv = [str(self._binary.path), str(self._configuration)]
        self._server.launch(argv, keep_open=[self._lock.descriptor])
        if not self._server.wait_until(self._answers, time.monotonic() + _START_SECONDS):
            raise ServerDidNotStartError(f"Valkey ended at once; its log ends:\n{self._server.end_of_log()}")

    def _write_configuration(self) -> None:
        """In a file and not on the command line, where everybody could read the password."""
        lines = {
            "bind": LOOPBACK,
            "port": self._port,
            "requirepass": self._password(),
            "dir": f'"{self._folder}"',
            "appendonly": "yes",
            "appendfsync": "everysec",
            "save": '""',
            "maxmemory-policy": "noeviction",
            "loglevel": "warning",
            "daemonize": "no",
        }
        self._configuration.touch(mode=0o600)
        self._configuration.write_text(
            "".join(f"{name} {value}\n" for name, value in lines.items()), encoding="utf-8"
        )

    def _answers(self) -> bool:
        """Whether it has read its data and takes commands."""
        client = redis.Redis.from_url(self.url, socket_timeout=5, retry=Retry(NoBackoff(), 0))
        try:
            return bool(client.ping())
        except (redis.ConnectionError, redis.TimeoutError):
            return False
        finally:
            client.close()

    def _password(self) -> str:
        """Made once per folder, so that a URL outlives a restart."""
        if not self._password_file.exists():
            self._password_file.touch(mode=0o600)
            self._password_file.write_text(secrets.token_urlsafe(24), encoding="ascii")
        return self._password_file.read_text(encoding="ascii")
