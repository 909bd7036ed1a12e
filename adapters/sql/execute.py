"""Running a fixed statement and reading its rows as JSON records."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from sqlalchemy import Connection, TextClause


def records(connection: Connection, statement: TextClause, **parameters: Any) -> list[dict[str, Any]]:  # noqa: ANN401  bind values
    """All rows of a statement whose one column is `to_jsonb(row)`."""
    return [row[0] for row in connection.execute(statement, parameters)]


def record(connection: Connection, statement: TextClause, **parameters: Any) -> dict[str, Any] | None:  # noqa: ANN401  bind values
    """The only row, or None."""
    found = records(connection, statement, **parameters)
    return found[0] if found else None


def as_json(rows: Iterable[Mapping[str, Any]]) -> str:
    """Rows for a parameter that the statement casts to jsonb and reads as records, where what is left out is NULL."""
    return json.dumps(
        [{name: value for name, value in row.items() if value is not None} for row in rows],
        separators=(",", ":"),
    )
