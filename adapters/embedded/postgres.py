"""The embedded PostgreSQL: made once in a folder, started, tied to its starter, stopped.

Root is handled in ``identity``; nothing here adds users or opens folders that are not ours. Only the loopback
interface listens, with a password that is made with the cluster and kept beside it, readable by its owner only.
"""

import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Final

import psycopg
from psycopg import sql

from adapters.embedded.binaries import find_postgres
from adapters.embedded.folder_lock import FolderLock
from adapters.embedded.identity import identity_for
from adapters.embedded.server_process import (
    LOOPBACK,
    ServerDidNotStartError,
    ServerProcess,
    free_port,
    tied_to_us,
)

ROLE: Final = "governor"
_SUPERUSER: Final = "postgres"
_START_SECONDS: Final = 60.0
# How long a predecessor that lost its starter may take to let go of the folder.
_PREDECESSOR_SECONDS: Final = 10.0
_SETTINGS: Final = {
    "listen_addresses": LOOPBACK,
    "unix_socket_directories": "",
    "max_connections": "100",
    "shared_buffers": "32MB",
    "max_wal_size": "256MB",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "warning",
    "jit": "off",
}
# Commits still reach the kernel before they are acknowledged: `synchronous_commit` off would lose them with the server.
_NO_DURABILITY: Final = {"fsync": "off", "full_page_writes": "off"}


class EmbeddedPostgres:
    """A PostgreSQL server on the data in ``folder``; only one at a time per folder.

    ``fsync=False`` is for tests: a crash of the machine may then lose commits (a crash of the server does not).
    """

    def __init__(self, folder: Path, *, fsync: bool = True) -> None:
        self._folder = folder.resolve()
        self._folder.mkdir(parents=True, exist_ok=True)
        # Other users may pass through to the data, whose folder is its owner's alone, but not list or read here.
        self._folder.chmod(0o711)
        self._data = self._folder / "data"
        self._password_file = self._folder / "password"
        self._binary = find_postgres()
        self._settings = _SETTINGS if fsync else _SETTINGS | _NO_DURABILITY
        if self._binary.version >= (18,):
            # Three more processes for reading ahead are no use to a database this small.
            self._settings = self._settings | {"io_method": "sync"}
        self._lock = FolderLock(self._folder)
        self._identity = identity_for(self._binary.path, self._data)
        self._server = ServerProcess(self._folder / "postgres.log", signal.SIGINT, self._identity)
        self._port = 0

    @property
    def pid(self) -> int | None:
        """The postmaster's process id, or None when it does not run."""
        return self._server.pid

    def url(self, database: str = "governor") -> str:
        """SQLAlchemy's URL of ``database`` for the application's role, which owns it and is no superuser."""
        return f"postgresql+psycopg://{ROLE}:{self._password()}@{LOOPBACK}:{self._port}/{database}"

    def superuser_url(self, database: str = "postgres") -> str:
        """The same as the superuser ``postgres``: for tests that break things, never for the application."""
        return f"postgresql+psycopg://{_SUPERUSER}:{self._password()}@{LOOPBACK}:{self._port}/{database}"

    def start(self) -> None:
        """Starts the server, on the same port as before if this object started it before.

        Raises FolderInUseError, BinariesNotFoundError or ServerDidNotStartError; does nothing when it runs.
        """
        if self.pid is not None:
            return
        self._lock.acquire(wait_seconds=_PREDECESSOR_SECONDS)
        try:
            self._initialise()
            self._run()
            self._ensure_role_and_database()
        except BaseException:
            self.stop()
            raise

    def stop(self, patience_seconds: float = 8.0) -> None:
        """Ends sessions and stops, writing everything down; harsher after a while. Frees the folder."""
        self._server.stop((signal.SIGINT, patience_seconds), (signal.SIGQUIT, 1.0))
        self._lock.release()

    def _initialise(self) -> None:
        """Makes the cluster, completely or not at all: initdb works beside the final place and is renamed into it."""
        if self._data.exists():
            self._check_version()
            return
        self._password_file.touch(mode=0o600)
        self._password_file.write_text(secrets.token_urlsafe(24), encoding="ascii")
        with tempfile.TemporaryDirectory(prefix="unfinished-", dir=self._folder) as name:
            workplace = Path(name)
            password = workplace / "password"
            shutil.copy(self._password_file, password)
            self._identity.give(workplace)
            self._identity.give(password)
            self._initdb(workplace / "data", password)
            (workplace / "data").rename(self._data)

    def _initdb(self, data: Path, password: Path) -> None:
        """Runs initdb, whose files are on disk when it returns."""
        argv = [str(self._binary.path.with_name("initdb")), "--pgdata", str(data), "--username", _SUPERUSER]
        argv += ["--pwfile", str(password), "--auth", "scram-sha-256", "--encoding", "UTF8", "--no-locale"]
        done = subprocess.run(  # noqa: S603 - our own binary, no shell
            tied_to_us(argv, signal.SIGKILL, self._identity),
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
        )
        if done.returncode != 0:
            raise ServerDidNotStartError(f"initdb failed: {done.stderr.strip()}")

    def _check_version(self) -> None:
        """Data of another major version is refused in words, not by a server that gives up."""
        made_by = int((self._data / "PG_VERSION").read_text(encoding="ascii"))
        if made_by != self._binary.version[0]:
            raise ServerDidNotStartError(
                f"{self._data} was made by PostgreSQL {made_by}, but the {self._binary.rung} has "
                f"{self._binary.version[0]}: set GOVERNOR_POSTGRES_BIN to the older programs, or use a new folder"
            )

    def _run(self) -> None:
        """Launches until it answers: after a crash the dying children of the last server hold its memory a moment."""
        self._port = self._port or free_port()
        argv = [str(self._binary.path), "-D", str(self._data), "-p", str(self._port)]
        for name, value in self._settings.items():
            argv += ["-c", f"{name}={value}"]
        deadline = time.monotonic() + _START_SECONDS
        gives_up = time.monotonic() + _PREDECESSOR_SECONDS
        while True:
            self._server.launch(argv, keep_open=[self._lock.descriptor])
            if self._server.wait_until(self._answers, deadline):
                return
            if time.monotonic() > gives_up:
                raise ServerDidNotStartError(
                    f"PostgreSQL ended at once; its log ends:\n{self._server.end_of_log()}"
                )
            time.sleep(0.1)

    def _answers(self) -> bool:
        """Whether a session can be opened."""
        try:
            with self._superuser_session():
                return True
        except psycopg.OperationalError:
            return False

    def _ensure_role_and_database(self) -> None:
        """The application's role may create databases (tests do) and is otherwise ordinary, as in production."""
        with self._superuser_session() as session:
            if session.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [ROLE]).fetchone() is None:
                password = sql.Literal(self._password())
                session.execute(sql.SQL("CREATE ROLE governor LOGIN CREATEDB PASSWORD {}").format(password))
            if session.execute("SELECT 1 FROM pg_database WHERE datname = %s", [ROLE]).fetchone() is None:
                session.execute("CREATE DATABASE governor OWNER governor")

    def _superuser_session(self) -> psycopg.Connection:
        """A session of the superuser, each statement its own transaction."""
        return psycopg.connect(
            host=LOOPBACK,
            port=self._port,
            user=_SUPERUSER,
            password=self._password(),
            dbname="postgres",
            autocommit=True,
            connect_timeout=5,
        )

    def _password(self) -> str:
        """The password of both roles."""
        return self._password_file.read_text(encoding="ascii")
