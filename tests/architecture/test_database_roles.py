"""Every table has its place in deploy/postgres_roles.sql: what is not granted there, no process can use."""

import re
from collections import defaultdict

from tests.architecture.tree import ROOT

SCRIPT = (ROOT / "deploy" / "postgres_roles.sql").read_text(encoding="utf-8")
STATEMENTS = [path.read_text(encoding="utf-8") for path in (ROOT / "adapters" / "sql").glob("*.py")]
VERSIONS = ROOT / "adapters" / "sql" / "migrations" / "versions"


def test_every_table_is_granted_to_somebody() -> None:
    made = {
        name
        for script in VERSIONS.glob("*.sql")
        for name in re.findall(r"CREATE (?:UNLOGGED )?TABLE (\w+)", script.read_text(encoding="utf-8"))
    }
    assert len(made) > 15
    assert sorted(name for name in made if not re.search(rf"GRANT [^;]*\b{name}\b[^;]*TO", SCRIPT)) == []


def test_every_column_that_is_written_where_columns_are_granted_is_granted() -> None:
    granted: defaultdict[str, set[str]] = defaultdict(set)
    for columns, table in re.findall(r"GRANT UPDATE \(([^)]*)\) ON (\w+)", SCRIPT):
        granted[table] |= set(re.findall(r"\w+", columns))
    assert len(granted) > 5
    written = [
        (table, column)
        for text in STATEMENTS
        for table, changes in re.findall(
            r"UPDATE (\w+)(?: (?!SET)\w+)? SET\s+(.+?)\s(?:FROM|WHERE)\s", text, re.DOTALL
        )
        for column in re.findall(r"(?:^|,)\s*(\w+) =", changes)
        if table in granted
    ]
    assert len(written) > 40
    assert [(table, column) for table, column in written if column not in granted[table]] == []
