"""Values that no code writes, in rows that fsck and verify read: each is told, and none ends the telling.

A restored dump, a hand at psql: the database's own constraints are gone here, as they may be there.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import cycle
from typing import cast

import pytest
from sqlalchemy import Connection, text

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.sql.engine import make_engine
from adapters.sql.fsck import SqlOpenBooks
from adapters.sql.reads import SqlReads
from governor.domain.trail import Fault
from governor.ports.books import Finding
from governor.ports.store import UnitOfWork
from governor.usecases.check_books import CheckBooks
from governor.usecases.read_trail import ReadTrail
from governor.usecases.verify_trail import Verification, VerifyTrail
from tests.cli.story import ENVIRONMENT, Story
from tests.servers import fresh_database

UNPROTECTED = """
    DO $$ DECLARE one record; BEGIN
        FOR one IN SELECT conrelid::regclass AS found_on, conname FROM pg_constraint
            WHERE contype IN ('c', 'f') AND connamespace = 'public'::regnamespace
        LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', one.found_on, one.conname); END LOOP;
        FOR one IN SELECT oid::regclass AS named FROM pg_class
            WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace
        LOOP EXECUTE format('ALTER TABLE %s DISABLE TRIGGER USER', one.named); END LOOP;
    END $$"""
HUGE = "('{\"a\": ' || repeat('9', 5000) || '}')::jsonb"
"""A number with more digits than Python reads."""


NO_TIMES = ("infinity", "-infinity", "20000-01-01 00:00:00+00", "0044-03-15 00:00:00+00 BC")
TIMES = text("""
    SELECT table_name, column_name FROM information_schema.columns c
    WHERE table_schema = 'public' AND data_type = 'timestamp with time zone' AND EXISTS (
        SELECT FROM information_schema.columns e WHERE e.table_name = c.table_name
        AND e.column_name = CASE e.table_name WHEN 'environments' THEN 'name' ELSE 'environment' END)""")
"""Each column that holds times of an environment."""


@dataclass
class Harmed:
    """The books with whatever was just done to them, which is taken back when the block ends."""

    connection: Connection

    @contextmanager
    def opened(self) -> Iterator[SqlOpenBooks]:
        yield SqlOpenBooks(self.connection)

    @contextmanager
    def where(self, table: str, said: str, rows: str = "true") -> Iterator[None]:
        """As they would be if a table said this in these rows."""
        harm = self.connection.begin_nested()
        try:
            assert self.set(table, said, rows)
            yield
        finally:
            harm.rollback()

    def set(self, table: str, said: str, rows: str = "true") -> bool:
        statement = f'UPDATE "{table}" SET {said} WHERE {rows}'  # noqa: S608  words of this file and of the catalog
        return self.connection.execute(text(statement.replace(":", r"\:"))).rowcount > 0

    @contextmanager
    def reading(self) -> Iterator[SqlReads]:
        yield SqlReads(self.connection)

    def verified(self) -> Verification:
        return VerifyTrail(ReadTrail(cast("UnitOfWork", self)))(ENVIRONMENT)

    def findings(self) -> tuple[Finding, ...]:
        return CheckBooks(self)().findings


@pytest.fixture(scope="module")
def database(postgres_server: EmbeddedPostgres, story: Story) -> Iterator[str]:
    """The story's books once more, without protection."""
    source = story.app.engine.url.database
    assert source is not None
    story.app.engine.dispose()
    with fresh_database(postgres_server, source) as url:
        engine = make_engine(url)
        with engine.begin() as connection:
            connection.execute(text(UNPROTECTED.replace(":", r"\:")))
        engine.dispose()
        yield url


@pytest.fixture
def books(database: str) -> Iterator[Harmed]:
    engine = make_engine(database)
    with engine.connect() as connection:
        yield Harmed(connection)
    engine.dispose()


def test_a_time_that_is_none_is_found_in_every_column_of_every_table(books: Harmed) -> None:
    columns = books.connection.execute(TIMES).all()
    with books.where("environments", "name = name"):
        set_anew = {
            (table, column)
            for (table, column), time in zip(columns, cycle(NO_TIMES), strict=False)
            if books.set(table, f"\"{column}\" = '{time}'")
        }
        found = books.findings()
    assert {"audit", "environments", "limits", "refund_requests", "votes"} <= {table for table, _ in set_anew}
    told = {(one.object.split()[0], one.found.split()[0]) for one in found if one.code == "row_time"}
    assert told == set_anew


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ("environments", "mode = 'nonsense'"),
        ("environments", "late_limits = ''"),
        ("limits", "scope = 'nonsense'"),
        ("limits", "measure = 'nonsense'"),
        ("limits", "\"window\" = 'nonsense'"),
        ("limits", "time_zone = 'nowhere'"),
        ("limits", "time_zone = '../x'"),
        ("limits", "id = id || 'x'"),
        ("limit_changes", "limit_id = 'lim_none'"),
        ("refund_requests", "next_action = 'nonsense'"),
        ("refund_requests", "denial = ''"),
        ("refund_requests", "limits = '7'"),
        ("refund_requests", "rules = 'true'"),
        ("refund_requests", "created_at = '9999-12-31 23:59:59+00'"),
        ("refund_requests", "created_at = '0001-01-01 00:00:00+00'"),
    ],
)
def test_a_row_of_which_nothing_can_be_made_is_a_finding_and_the_rest_is_checked(
    books: Harmed, table: str, said: str
) -> None:
    with books.where(table, said), books.where("counters", "reserved = reserved + 1"):
        codes = {finding.code for finding in books.findings()}
    assert codes >= {"row_unreadable", "counter_reserved"}


@pytest.mark.parametrize(
    "said",
    [
        *(f"at = '{time}'" for time in NO_TIMES),
        *(f"facts = {value}" for value in (HUGE, "'null'", "'[]'", "'7'", "'[1.5e300]'", "'{\"a\": 1e400}'")),
        "actor = ''",
        "object = chr(1114111)",
        "hash = ''",
    ],
)
def test_an_audit_row_that_nobody_sealed_is_the_first_break_for_whoever_looks(
    books: Harmed, said: str
) -> None:
    with books.where("audit", said, "seq = 3"):
        (finding,) = (one for one in books.findings() if one.code.startswith("audit_"))
        broken = books.verified().broken
    assert (finding.code, finding.object) == ("audit_hash", "audit row 3")
    assert (broken and broken.code, broken and broken.seq) == (Fault.HASH, 3)


@pytest.mark.parametrize("head", ["0", "-1", "-9223372036854775808", "9223372036854775807"])
def test_a_head_that_hides_rows_or_promises_some_is_a_break(books: Harmed, head: str) -> None:
    with books.where("environments", f"audit_seq = {head}, audit_hash = repeat('0', 64)"):
        codes = {finding.code for finding in books.findings()}
        broken = books.verified().broken
    assert "audit_head" in codes
    assert (broken and broken.code) == Fault.HEAD


def test_the_trail_of_an_environment_whose_settings_are_none_is_verified_all_the_same(books: Harmed) -> None:
    with books.where("environments", "mode = 'nonsense', created_at = 'infinity'"):
        assert books.verified().broken is None
