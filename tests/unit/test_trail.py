"""What a chain finds, and what only an anchor finds. RELIABILITY §3 K3, §5.4."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from governor.api.shown_audit import HEADING, csv_row
from governor.domain.audit import BEGINNING, Entry, Sealed, seal
from governor.domain.trail import Anchored, Break, Fault, Walked, ended, walk
from tests.unit.values import NOON


def chain(length: int, *, note: str = "") -> list[Sealed]:
    """A trail of so many rows."""
    rows: list[Sealed] = []
    place = BEGINNING
    for n in range(1, length + 1):
        entry = Entry("governor", "refund_request.evidence", f"rr_{n}", {"n": n, "note": note})
        rows.append(seal("test", n, NOON + timedelta(seconds=n), entry, place.hash))
        place = rows[-1].place
    return rows


ROWS = chain(9)


def _walk(rows: Sequence[Sealed], anchored: Anchored | None = None) -> Walked:
    return ended(walk("test", BEGINNING, rows, anchored or {}), 9, ROWS[-1].hash, anchored or {})


def _found(rows: Sequence[Sealed], anchored: Anchored | None = None) -> tuple[Fault, int]:
    broken = _walk(rows, anchored).broken
    assert broken is not None
    assert broken.expected != broken.found
    return broken.code, broken.seq


def _changed(n: int, **fields: Any) -> list[Sealed]:
    return [*ROWS[: n - 1], replace(ROWS[n - 1], **fields), *ROWS[n:]]


def test_an_untouched_trail_is_whole() -> None:
    assert _walk(ROWS) == Walked(ROWS[-1].place, 9, None)


@pytest.mark.parametrize(
    "fields",
    [
        {"entry": replace(ROWS[3].entry, facts={"n": 5, "note": ""})},
        {"entry": replace(ROWS[3].entry, actor="somebody")},
        {"at": ROWS[3].at + timedelta(microseconds=1)},
        {"hash": ROWS[4].hash},
        {"prev_hash": ROWS[4].hash},
    ],
)
def test_a_row_that_was_changed_is_named(fields: dict[str, Any]) -> None:
    assert _found(_changed(4, **fields)) == (Fault.HASH, 4)


def test_a_row_that_was_taken_out_is_named() -> None:
    assert _found([*ROWS[:3], *ROWS[4:]]) == (Fault.GAP, 4)


def test_two_rows_that_changed_places_are_found_where_they_begin() -> None:
    assert _found([*ROWS[:3], ROWS[4], ROWS[3], *ROWS[5:]]) == (Fault.GAP, 4)
    renumbered = [*ROWS[:3], replace(ROWS[4], seq=4), replace(ROWS[3], seq=5), *ROWS[5:]]
    assert _found(renumbered) == (Fault.HASH, 4)


def test_a_row_put_in_between_is_found() -> None:
    forged = seal("test", 4, NOON, Entry("governor", "forged", "rr_x", {}), ROWS[2].hash)
    assert _found([*ROWS[:3], forged, *ROWS[3:]]) == (Fault.GAP, 5)


def test_a_row_that_was_sealed_anew_breaks_the_link_of_the_next() -> None:
    forged = seal("test", 4, ROWS[3].at, replace(ROWS[3].entry, facts={"n": 400}), ROWS[2].hash)
    assert _found([*ROWS[:3], forged, *ROWS[4:]]) == (Fault.LINK, 5)


def test_a_row_of_another_environment_is_no_row_of_this_one() -> None:
    other = seal("other", 4, ROWS[3].at, ROWS[3].entry, ROWS[2].hash)
    assert _found([*ROWS[:3], other, *ROWS[4:]]) == (Fault.HASH, 4)


def test_a_tail_that_was_cut_off_shows_against_the_head() -> None:
    assert _found(ROWS[:7]) == (Fault.HEAD, 8)


def test_another_last_row_shows_against_the_head() -> None:
    forged = seal("test", 9, NOON, ROWS[8].entry, ROWS[7].hash)
    assert _found([*ROWS[:8], forged]) == (Fault.HEAD, 9)


def test_a_tail_cut_off_together_with_its_head_shows_only_against_an_anchor() -> None:
    short = ROWS[:7]
    walked = walk("test", BEGINNING, short)
    assert ended(walked, 7, short[-1].hash).broken is None, "the chain alone cannot know"
    anchored = {8: frozenset({ROWS[7].hash})}
    broken = ended(walked, 7, short[-1].hash, anchored).broken
    assert broken == Break(Fault.HEAD, 8, "rows up to 8, which is anchored", "the last row is 7")


def test_a_chain_written_anew_shows_only_against_an_anchor() -> None:
    forged = chain(9, note="nothing to see here")
    assert walk("test", BEGINNING, forged).broken is None, "the chain alone cannot know"
    anchored = {6: frozenset({ROWS[5].hash})}
    assert _found(forged, anchored) == (Fault.ANCHOR, 6)


def test_anchors_that_contradict_each_other_are_a_break_whatever_the_row_says() -> None:
    anchored = {6: frozenset({ROWS[5].hash, ROWS[4].hash})}
    assert _found(ROWS, anchored) == (Fault.ANCHOR, 6)


def test_anchors_that_fit_change_nothing() -> None:
    anchored = {row.seq: frozenset({row.hash}) for row in ROWS}
    assert _walk(ROWS, anchored).broken is None


def test_a_stretch_begins_at_the_row_before_it() -> None:
    assert walk("test", ROWS[4].place, ROWS[5:]) == Walked(ROWS[-1].place, 4)
    broken = walk("test", ROWS[3].place, ROWS[5:]).broken
    assert (broken and broken.code, broken and broken.seq) == (Fault.GAP, 5)


def test_a_csv_of_the_same_rows_has_the_same_bytes_for_ever() -> None:
    """Whoever has kept an export's manifest holds today's file against it: so no column comes or goes, not even at the end.

    The person, say, is told by the facts, as everything is that a row has learnt to say since.
    """
    row = seal(
        "test", 1, NOON, Entry("cred_1", "limit.changed", "lim_1", {"person": "lea", "n": 1}), "0" * 64
    )
    assert HEADING == b'"seq","at","actor","action","object","facts","prev_hash","hash"\r\n'
    said = f'"1","{NOON.isoformat(timespec="microseconds")}","cred_1","limit.changed","lim_1"'
    facts = '"{""n"":1,""person"":""lea""}"'
    assert csv_row(row).decode() == f'{said},{facts},"{"0" * 64}","{row.hash}"\r\n'
