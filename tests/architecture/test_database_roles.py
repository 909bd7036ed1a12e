"""Every table has its place in deploy/postgres_roles.sql: what is not granted there, no process can use."""

import re

from tests.architecture.tree import ROOT

VERSIONS = ROOT / "adapters" / "sql" / "migrations" / "versions"


def test_every_table_is_granted_to_somebody() -> None:
    made = {
        name
        for script in VERSIONS.glob("*.sql")
        for name in re.findall(r"CREATE (?:UNLOGGED )?TABLE (\w+)", script.read_text(encoding="utf-8"))
    }
    granted = (ROOT / "deploy" / "postgres_roles.sql").read_text(encoding="utf-8")
    assert len(made) > 15
    assert sorted(name for name in made if not re.search(rf"GRANT [^;]*\b{name}\b[^;]*TO", granted)) == []
