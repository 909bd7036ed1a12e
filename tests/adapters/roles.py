"""The roles of deploy/postgres_roles.sql, in force on a database of a test's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psycopg
from psycopg import sql
from sqlalchemy import make_url

from adapters.embedded.postgres import EmbeddedPostgres
from tests.servers import fresh_database, libpq

SCRIPT = Path(__file__).resolve().parents[2] / "deploy" / "postgres_roles.sql"
PROCESSES = ("governor_web", "governor_worker", "governor_operator")
LOGINS = (*PROCESSES, "governor_metrics", "governor_readonly")
MIGRATOR = "governor_migrator"
"""A login that is a member of the owner, as whoever deploys has one."""
_PASSWORD = "a-password-of-tests"


@dataclass(frozen=True)
class Roles:
    """Addresses of one database, by role."""

    superuser: str

    def url(self, role: str) -> str:
        """SQLAlchemy's URL of the database for a role."""
        known = make_url(self.superuser).set(username=role, password=_PASSWORD)
        if role == MIGRATOR:
            known = known.update_query_dict({"options": "-crole=governor_owner"})
        return known.render_as_string(hide_password=False)

    @contextmanager
    def session(self, role: str) -> Iterator[psycopg.Connection]:
        """A session of a role, each statement by itself."""
        with psycopg.connect(libpq(self.url(role)), autocommit=True) as session:
            # What a role may not do is refused by its rights, not only by a setting that it can change.
            session.execute("SET default_transaction_read_only = off")
            yield session


@contextmanager
def in_force(server: EmbeddedPostgres, template: str) -> Iterator[Roles]:
    """A database with the script applied, twice, as after two upgrades."""
    with fresh_database(server, template) as url:
        roles = Roles(server.superuser_url(make_url(url).database or ""))
        with psycopg.connect(libpq(roles.superuser), autocommit=True) as session:
            for _ in range(2):
                session.execute(SCRIPT.read_bytes())
            _let_in(session)
        yield roles


def _let_in(session: psycopg.Connection) -> None:
    made = session.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [MIGRATOR]).fetchone()
    if made is None:
        session.execute(
            sql.SQL("CREATE ROLE {} LOGIN IN ROLE governor_owner").format(sql.Identifier(MIGRATOR))
        )
    for role in (*LOGINS, MIGRATOR):
        with_password = sql.SQL("ALTER ROLE {} PASSWORD {}").format(
            sql.Identifier(role), sql.Literal(_PASSWORD)
        )
        session.execute(with_password)
