"""What no template and no code of the console may do, so that everything that is shown is escaped (§5.2 T25, T41)."""

import ast
import re
from pathlib import Path

import pytest

from governor.console.rendering import JINJA
from tests.architecture.tree import ROOT

CONSOLE = ROOT / "governor" / "console"
TEMPLATES = sorted((CONSOLE / "templates").rglob("*.html"))
FORBIDDEN = {
    "a filter that lets text through as it is": r"\|\s*safe\b|\|\s*forceescape|Markup",
    "a place that is not escaped": r"autoescape",
    "something inline": r"<style|\sstyle=|\son[a-z]+=|javascript:",
    "a script from elsewhere": r"<script(?! src=\"\{\{ asset\()",
    "an attribute without quotes": r"\s[\w-]+=\{\{",
    "an address that a text decides": r"(?:href|src|action|formaction)=\"\{\{ (?!visit\.|asset\(|entry\.|listed\.|address\b|to\b|next or)",
    "an htmx attribute that evaluates": r"hx-on|hx-vals=.?js:|hx-headers=.?js:",
}


def test_every_template_is_found() -> None:
    assert len(TEMPLATES) > 10
    assert JINJA.autoescape is True


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_has_nothing_that_would_not_be_escaped(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [why for why, pattern in FORBIDDEN.items() if re.search(pattern, text)] == []


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_can_be_read(path: Path) -> None:
    JINJA.get_template(path.relative_to(CONSOLE / "templates").as_posix())


def test_nothing_but_the_parts_of_forms_is_marked_as_written_by_us() -> None:
    users = []
    for path in CONSOLE.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Name) and node.id in {"Markup", "eval", "exec", "compile"}:
                users.append((path.name, node.id))
            assert not (isinstance(node, ast.Attribute) and node.attr == "from_string"), path.name
    assert {name for name, _ in users} <= {"rendering.py"}


def test_the_rules_tell_what_they_forbid() -> None:
    for bad in (
        "{{ text | safe }}",
        '<p style="color:red">',
        '<a onclick="x()">',
        "<script>x</script>",
        '<a href="{{ request.note }}">',
        "<a title={{ text }}>",
    ):
        assert any(re.search(pattern, bad) for pattern in FORBIDDEN.values()), bad
