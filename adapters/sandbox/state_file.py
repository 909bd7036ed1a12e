"""The state file: every document of the twin in one SQLite table, for runs that must survive a restart."""

import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path

from adapters.sandbox.shelf import Change, Document

_TABLE = "CREATE TABLE IF NOT EXISTS documents (kind TEXT, id TEXT, body TEXT, PRIMARY KEY (kind, id))"
# An upsert keeps the row's place, so that reading in the order of rowid gives documents oldest first.
_PUT = (
    "INSERT INTO documents (kind, id, body) VALUES (?, ?, ?)"
    " ON CONFLICT (kind, id) DO UPDATE SET body = excluded.body"
)


class StateFile:
    """One SQLite file, owned by one twin at a time. What was saved survives a SIGKILL of the process.

    Raises:
        sqlite3.Error: when the file cannot be opened, or another twin has it.
    """

    def __init__(self, path: Path) -> None:
        self._database = sqlite3.connect(path, timeout=0, isolation_level=None, check_same_thread=False)
        # Exclusive: a second twin on the same file fails at its start instead of mixing two worlds.
        self._database.execute("PRAGMA locking_mode = EXCLUSIVE")
        self._database.execute("PRAGMA journal_mode = WAL")
        # Commits reach the kernel, not the disk: enough against a killed process, and fast.
        self._database.execute("PRAGMA synchronous = NORMAL")
        self._database.execute(_TABLE)

    def load(self) -> Iterator[tuple[str, str, Document]]:
        """Every saved ``(kind, id, document)``, oldest first."""
        rows = self._database.execute("SELECT kind, id, body FROM documents ORDER BY rowid")
        for kind, identifier, body in rows:
            yield kind, identifier, json.loads(body)

    def save(self, changes: Iterable[Change]) -> None:
        """Writes all changes, or none of them."""
        self._database.execute("BEGIN")
        for kind, identifier, document in changes:
            if document is None:
                self._database.execute("DELETE FROM documents WHERE kind = ? AND id = ?", (kind, identifier))
            else:
                self._database.execute(_PUT, (kind, identifier, json.dumps(document)))
        self._database.execute("COMMIT")

    def clear(self) -> None:
        """Forgets everything."""
        self._database.execute("DELETE FROM documents")
