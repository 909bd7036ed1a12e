"""docs/security: every threat and every requirement has a test that exists, or says honestly why it has none."""

import ast
import csv
from functools import cache
from pathlib import Path

import pytest

TABLES = {"threats": "threat", "asvs": "requirement"}
NOT_DONE = "not done: "
# RELIABILITY §5.2.
OWED = range(1, 53)
MANY_REQUIREMENTS = 150


def rows(root: Path, table: str) -> list[dict[str, str]]:
    with (root / "docs" / "security" / f"{table}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def names_in(path: Path) -> frozenset[str]:
    module = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef))


@pytest.mark.parametrize("table", TABLES)
def test_every_test_that_a_table_names_exists(project_root: Path, table: str) -> None:
    for row in rows(project_root, table):
        if row["test"].startswith(NOT_DONE):
            continue
        for named in row["test"].split():
            path, _, name = named.partition("::")
            assert name in names_in(project_root / path), (
                f"{row[TABLES[table]]} names {named}, which is not there"
            )


@pytest.mark.parametrize("table", TABLES)
def test_every_row_says_what_is_done_and_how_that_is_known(project_root: Path, table: str) -> None:
    found = rows(project_root, table)
    names = [row[TABLES[table]] for row in found]
    assert len(set(names)) == len(names)
    for row in found:
        assert all(row.values()), row
        assert not row["test"].startswith(NOT_DONE) or len(row["test"]) > len(NOT_DONE) + 10, row


def test_no_threat_is_left_out(project_root: Path) -> None:
    told = {row["threat"]: row["test"] for row in rows(project_root, "threats")}
    assert sorted({f"T{number}" for number in OWED} - set(told)) == []
    assert [threat for threat in (f"T{number}" for number in OWED) if told[threat].startswith(NOT_DONE)] == []


def test_the_requirements_are_those_that_were_chosen(project_root: Path) -> None:
    found = rows(project_root, "asvs")
    assert len(found) > MANY_REQUIREMENTS
    assert {row["level"] for row in found} == {"1", "2", "3"}
    assert {row["applies"] for row in found} == {"yes", "by the installation"}
