import ast
import re
from pathlib import Path

from governor.cli.main import COMMANDS

PROGRAMS = ("governor", "adapters", "workers")
NAMED_TEST = re.compile(r"\[(test_\w+)\]\(\.\./(tests/[\w/]+\.py)\)")


def _pages(root: Path) -> dict[str, str]:
    found = [root / "README.md", *(root / "docs").glob("*.md")]
    assert len(found) > 4
    return {page.relative_to(root).as_posix(): page.read_text(encoding="utf-8") for page in found}


def _sources(root: Path) -> list[str]:
    found = [path.read_text(encoding="utf-8") for name in PROGRAMS for path in (root / name).rglob("*.py")]
    assert len(found) > 50
    return found


def test_every_link_leads_to_something(project_root: Path) -> None:
    dead = [
        (page, link)
        for page, text in _pages(project_root).items()
        for link in re.findall(r"\]\(([^)#]+)", text)
        if "://" not in link and not ((project_root / page).parent / link).exists()
    ]
    assert dead == []


def test_every_variable_that_a_program_reads_is_in_the_operators_page(project_root: Path) -> None:
    read = {
        name for source in _sources(project_root) for name in re.findall(r"GOVERNOR_[A-Z_]+[A-Z]", source)
    }
    page = (project_root / "docs" / "operations.md").read_text(encoding="utf-8")
    assert len(read) > 10
    assert sorted(name for name in read if f"`{name}`" not in page) == []


def test_every_variable_that_a_page_names_is_read_by_a_program_or_a_test(project_root: Path) -> None:
    tests = [path.read_text(encoding="utf-8") for path in (project_root / "tests").rglob("*.py")]
    sources = "\n".join([*_sources(project_root), *tests])
    settings = (project_root / "governor" / "settings.py").read_text(encoding="utf-8")
    unknown = {
        name
        for text in _pages(project_root).values()
        for name in re.findall(r"GOVERNOR_[A-Z_]+[A-Z]", text)
        if name not in sources and f"    {name.removeprefix('GOVERNOR_').lower()}:" not in settings
    }
    assert unknown == set()


def test_every_command_that_a_page_names_exists(project_root: Path) -> None:
    named = {
        word
        for text in _pages(project_root).values()
        for word in re.findall(r"(?:`|^ *)governor ([a-z]+)\b", text, re.MULTILINE)
    }
    assert len(named) > 10
    assert named - set(COMMANDS) == set()


def test_every_promise_names_a_test_that_exists(project_root: Path) -> None:
    page = (project_root / "docs" / "safety.md").read_text(encoding="utf-8")
    promised = page.partition("## Not tolerated")[0]
    promises = re.findall(r"^- (?:.+\n)(?:  .+\n)*", promised, re.MULTILINE)
    assert len(promises) > 30
    assert [promise for promise in promises if not NAMED_TEST.search(promise)] == []
    for name, path in NAMED_TEST.findall(promised):
        module = ast.parse((project_root / path).read_text(encoding="utf-8"))
        functions = {node.name for node in ast.walk(module) if isinstance(node, ast.FunctionDef)}
        assert name in functions, f"{path} has no {name}"


def test_every_room_that_a_page_names_exists(project_root: Path) -> None:
    gone = [
        (page, path)
        for page, text in _pages(project_root).items()
        for path in re.findall(r"`((?:governor|adapters|workers|deploy|tests|docs)/[\w./-]+)", text)
        if not (project_root / path.rstrip("/.")).exists()
    ]
    assert gone == []
