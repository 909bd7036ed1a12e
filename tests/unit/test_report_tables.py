"""Tables of reports as files: what each kind of column becomes."""

import csv
import io
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from governor.console.audit.report_tables import Column, Figure, Holds, Link, csv_of

AT = datetime(2026, 11, 30, 8, 0, 0, 123_456, tzinfo=UTC)
USD = Figure(1250, "usd")


@pytest.mark.parametrize(
    ("holds", "cell", "headings", "cells"),
    [
        (Holds.WORDS, "approve", ["x"], ["approve"]),
        (Holds.TEXT, "=1+1", ["x"], ["'=1+1"]),
        (Holds.MOMENT, AT, ["x"], ["2026-11-30T08:00:00.123Z"]),
        (Holds.NUMBER, -3, ["x"], ["-3"]),
        (Holds.SPAN, timedelta(seconds=61, microseconds=45_600), ["x_seconds"], ["61.045"]),
        (Holds.FIGURE, USD, ["x", "x_unit"], ["12.50", "usd"]),
        (Holds.FIGURE, Figure(5, None), ["x", "x_unit"], ["5", "refunds"]),
        (Holds.FIGURE, Figure(124000, "jpy"), ["x", "x_unit"], ["124000", "jpy"]),
        (Holds.FIGURE, None, ["x", "x_unit"], ["", ""]),
        (Holds.CHANGE, (None, USD), ["x_before", "x_after", "x_unit"], ["", "12.50", "usd"]),
        (Holds.CHANGE, (USD, None), ["x_before", "x_after", "x_unit"], ["12.50", "", "usd"]),
        (Holds.CHANGE, (None, None), ["x_before", "x_after", "x_unit"], ["", "", ""]),
        (Holds.SUMS, {"usd": 5, "jpy": 7}, ["x"], ["7 jpy; 0.05 usd"]),
        (Holds.OBJECT, "rr_1", ["x"], ["rr_1"]),
        (Holds.LEADS_ON, Link("42", "/audit", {}), ["x"], ["42"]),
    ],
)
def test_a_cell_becomes_so_many_cells_of_a_file(
    holds: Holds, cell: Any, headings: list[str], cells: list[str]
) -> None:
    file = csv_of([Column("x", "X", holds)], [(cell,)])
    assert list(csv.reader(io.StringIO(file))) == [headings, cells]


def test_what_only_leads_on_is_in_no_file() -> None:
    columns = [Column("a", "A", Holds.WORDS), Column("", "More", Holds.LEADS_ON)]
    file = csv_of(columns, [("one", Link("Its rows", "/audit", {}))])
    assert list(csv.reader(io.StringIO(file))) == [["a"], ["one"]]
