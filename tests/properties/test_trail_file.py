"""A trail that was exported proves itself: whatever is done to its file is found. RELIABILITY §5.4."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from governor.domain.anchors import Anchor
from governor.domain.audit import BEGINNING, Entry, Sealed, seal
from governor.domain.canonical import canonical_json
from governor.domain.trail import Fault, walk
from governor.domain.trail_file import Content, TrailFile, line_of, row_of
from governor.usecases.verify_trail import verify_file
from tests.unit.test_trail import chain
from tests.unit.values import NOON

MANIPULATIONS = 1000
_WORDS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=20)
_NAMES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=12)
_FACTS = st.dictionaries(
    _NAMES,
    st.recursive(
        st.none() | st.booleans() | st.integers(-(2**53), 2**53) | _WORDS,
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_NAMES, inner, max_size=3),
        max_leaves=8,
    ),
    max_size=5,
)


def _file(rows: list[Sealed]) -> list[bytes]:
    content = Content()
    for row in rows:
        content.add(row, line_of(row))
    last = rows[-1]
    anchor = Anchor(last.environment, last.seq, last.hash, NOON.isoformat())
    return [*map(line_of, rows), content.manifest("ndjson", anchor).line]


LINES = _file(chain(12, note="çà et là"))


def _found(lines: list[bytes]) -> bool:
    return TrailFile(lines).walked().broken is not None


@settings(max_examples=200, deadline=None)
@given(st.lists(st.tuples(_NAMES, _NAMES, _FACTS), min_size=1, max_size=6))
def test_any_facts_can_be_sealed_written_read_back_and_verified(entries: list[tuple[str, str, Any]]) -> None:
    place, rows = BEGINNING, []
    for n, (actor, name, facts) in enumerate(entries, 1):
        rows.append(seal("test", n, NOON, Entry(actor, "made", name, facts), place.hash))
        place = rows[-1].place
    assert walk("test", BEGINNING, rows).broken is None
    assert [row_of(line_of(row)) for row in rows] == rows
    assert not _found(_file(rows))


@settings(max_examples=200, deadline=None)
@given(_FACTS, _FACTS)
def test_other_facts_have_another_hash(one: Any, other: Any) -> None:
    sealed = [seal("test", 1, NOON, Entry("a", "b", "c", facts), BEGINNING.hash) for facts in (one, other)]
    assert (sealed[0].hash == sealed[1].hash) == (canonical_json(one) == canonical_json(other))


def _flip(lines: list[bytes], dice: random.Random) -> list[bytes]:
    n = dice.randrange(len(lines))
    at = dice.randrange(len(lines[n]))
    flipped = bytes([lines[n][at] ^ (1 << dice.randrange(8))])
    return b"".join([*lines[:n], lines[n][:at], flipped, lines[n][at + 1 :], *lines[n + 1 :]]).splitlines(
        keepends=True
    )


def _drop(lines: list[bytes], dice: random.Random) -> list[bytes]:
    n = dice.randrange(len(lines))
    return [*lines[:n], *lines[n + 1 :]]


def _swap(lines: list[bytes], dice: random.Random) -> list[bytes]:
    one, other = dice.sample(range(len(lines)), 2)
    changed = [*lines]
    changed[one], changed[other] = lines[other], lines[one]
    return changed


def _repeat(lines: list[bytes], dice: random.Random) -> list[bytes]:
    n = dice.randrange(len(lines))
    return [*lines[:n], lines[n], *lines[n:]]


def _cut(lines: list[bytes], dice: random.Random) -> list[bytes]:
    whole = b"".join(lines)
    return whole[: dice.randrange(len(whole))].splitlines(keepends=True)


def _put_in(lines: list[bytes], dice: random.Random) -> list[bytes]:
    whole = b"".join(lines)
    at = dice.randrange(len(whole) + 1)
    return (whole[:at] + bytes([dice.randrange(256)]) + whole[at:]).splitlines(keepends=True)


def _edit_and_list_anew(lines: list[bytes], dice: random.Random) -> list[bytes]:
    """Somebody who knows the format: one fact changed, the row's own hash kept, and the manifest made to fit."""
    rows = [row_of(line) for line in lines[:-1]]
    n = dice.randrange(len(rows))
    body = json.loads(lines[n])
    body["facts"]["n"] = 100 + dice.randrange(1000)
    rows[n] = row_of(canonical_json(body) + b"\n")
    return _file(rows)


def _take_out_and_list_anew(lines: list[bytes], dice: random.Random) -> list[bytes]:
    rows = [row_of(line) for line in lines[:-1]]
    del rows[dice.randrange(1, len(rows) - 1)]
    return _file(rows)


KINDS: tuple[Callable[[list[bytes], random.Random], list[bytes]], ...] = (
    _flip,
    _drop,
    _swap,
    _repeat,
    _cut,
    _put_in,
    _edit_and_list_anew,
    _take_out_and_list_anew,
)


def test_an_untouched_export_is_intact() -> None:
    verdict = verify_file(LINES)
    assert (verdict.broken, verdict.rows, verdict.first, verdict.last) == (None, 12, 1, 12)


def test_every_one_of_a_thousand_manipulations_is_found() -> None:
    dice = random.Random(4711)  # noqa: S311  a test that can be repeated, no secret
    missed = []
    for n in range(MANIPULATIONS):
        kind = KINDS[n % len(KINDS)]
        changed = kind(LINES, dice)
        if b"".join(changed) != b"".join(LINES) and not _found(changed):
            missed.append((n, kind.__name__))
    assert missed == []


def test_an_export_cut_and_listed_anew_shows_only_against_an_anchor() -> None:
    rows = [row_of(line) for line in LINES[:-1]]
    cut = _file(rows[:8])
    assert verify_file(cut).broken is None, "the file alone cannot know"
    anchor = Anchor("test", 10, rows[9].hash, NOON.isoformat())
    broken = verify_file(cut, anchors=[anchor]).broken
    assert broken is not None
    assert (broken.code, broken.seq) == (Fault.HEAD, 9)
    assert verify_file(cut, 8, anchors=[anchor]).broken is None, "no more than eight rows were asked for"


@pytest.mark.parametrize(
    "lines", [[], [b"\n"], [b"[]\n"], [b"{}\n"], [LINES[-1]], [b"\xff\n"], [b"[" * 100_000]]
)
def test_what_is_no_export_is_no_intact_one(lines: list[bytes]) -> None:
    broken = TrailFile(lines).walked().broken
    assert broken is not None
    assert (broken.code, broken.seq) == (Fault.FILE, 1)
