import re
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from governor.cli.docs import states
from governor.cli.docs.command import DRAWINGS, docs, pages
from governor.cli.docs.markdown import drawings_in
from governor.domain.lifecycle import ENTRY_STATES, MOVES, State


def _draw(root: Path, *options: str) -> tuple[int, str]:
    done = CliRunner().invoke(docs, ["draw", "--root", str(root), *options])
    return done.exit_code, done.output


@pytest.fixture
def copy(project_root: Path, tmp_path: Path) -> Path:
    """The project's pages, to be spoilt."""
    shutil.copytree(project_root / "docs", tmp_path / "docs")
    shutil.copy(project_root / "README.md", tmp_path)
    return tmp_path


def test_every_page_is_as_the_code_draws_it(project_root: Path) -> None:
    assert _draw(project_root, "--check") == (0, "Every page is as the code draws it.\n")


def test_every_drawing_has_a_place(project_root: Path) -> None:
    placed = {name for page in pages(project_root) for name in drawings_in(page.read_text(encoding="utf-8"))}
    assert placed == set(DRAWINGS)


def test_a_page_that_tells_another_story_is_named_and_then_drawn_anew(copy: Path) -> None:
    page = copy / "docs" / "lifecycle.md"
    right = page.read_text(encoding="utf-8")
    page.write_text(right.replace("waits for people", "waits for nobody"), encoding="utf-8")
    assert _draw(copy, "--check") == (
        1,
        "Not as the code draws it: docs/lifecycle.md. Run `governor docs draw`.\n",
    )
    assert _draw(copy) == (0, "Drawn anew: docs/lifecycle.md.\n")
    assert page.read_text(encoding="utf-8") == right


def test_a_place_for_a_drawing_that_does_not_exist_is_refused(copy: Path) -> None:
    (copy / "README.md").write_text("<!-- drawn: unicorns -->\n<!-- end -->\n", encoding="utf-8")
    status, said = _draw(copy)
    assert (status, "unicorns" in said) == (2, True)


def test_a_folder_without_drawings_is_no_project(tmp_path: Path) -> None:
    assert _draw(tmp_path)[0] == 2


def test_the_table_of_events_read_back_is_the_table_of_moves() -> None:
    read: dict[tuple[str, str], str] = {}
    for line in states.events_table().splitlines()[2:]:
        event, moves = re.findall(r"`(\w+)`|\| ([^|]*) \|$", line)[0][0], line.split("|")[3]
        for sources, target in re.findall(r"([\w, ]+) → (\w+)", moves):
            read |= {(source.strip(), event): target for source in sources.split(",")}
    assert read == MOVES


def test_the_picture_has_every_state_and_every_move_but_the_late_ones() -> None:
    arrows = re.findall(r"^ +(\S+) --> (\S+) : (.+)$", states.picture(), re.MULTILINE)
    drawn = {
        (source, event): target
        for source, target, events in arrows
        for event in events.split(", ")
        if source != "[*]"
    }
    usual = {move: target for move, target in MOVES.items() if not states.is_late(*move)}
    assert drawn == usual
    assert len(usual) > 20
    assert {target for source, target, _ in arrows if source == "[*]"} == ENTRY_STATES
    assert {target for _, target, _ in arrows} == set(State)


def test_a_reversal_is_no_late_truth_and_a_refund_of_a_rejected_request_is() -> None:
    late = {(str(source), str(event)) for source, event in MOVES if states.is_late(source, event)}
    assert ("succeeded", "prove_reversed") not in late
    assert ("unknown", "prove_succeeded") not in late
    assert ("queued", "claim") not in late
    assert {
        ("rejected", "prove_succeeded"),
        ("failed", "prove_pending"),
        ("queued", "prove_succeeded"),
    } <= late
