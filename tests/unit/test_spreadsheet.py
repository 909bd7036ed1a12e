"""No cell of an export is a formula (RELIABILITY §5.2 T36)."""

import csv
import io

import pytest

from governor.http.spreadsheet import csv_line

FORMULAS = [
    "=1+1",
    "=cmd|' /C calc'!A0",
    '=HYPERLINK("http://x","y")',
    "+1+1",
    "+cmd|' /C calc'!A0",
    "-1+1",
    "-2+3+cmd|' /C calc'!A0",
    "@SUM(1,1)",
    "@A1",
    "\t=1+1",
    "\r=1+1",
    "\n=1+1",
    "\0=1+1",
    "＝1+1",
    "＋1",
    "－1",
    "＠SUM(1)",
    '=1+1","=2+2',
    "=1+1\r\n=2+2",
    "=",
]
PLAIN = ["", "rr_1", "a=b", "1-2", '{"a": 1}', 'say "hi"', "two\r\nlines", "çà, et là", "'quoted"]


def _read(line: str) -> list[str]:
    (row,) = csv.reader(io.StringIO(line, newline=""))
    return row


@pytest.mark.parametrize("payload", FORMULAS)
def test_what_a_spreadsheet_would_run_is_text(payload: str) -> None:
    assert _read(csv_line(["before", payload, "after"])) == ["before", f"'{payload}", "after"]


@pytest.mark.parametrize("text", PLAIN)
def test_other_text_stays_as_it_is(text: str) -> None:
    assert _read(csv_line([text])) == [text]


def test_numbers_and_truths_and_nothing_are_what_they_are() -> None:
    assert _read(csv_line([-5, 7, True, None])) == ["-5", "7", "true", ""]


def test_every_cell_is_quoted() -> None:
    assert csv_line([1, "a"]) == '"1","a"\r\n'
