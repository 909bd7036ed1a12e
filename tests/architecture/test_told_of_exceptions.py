"""What governor logs of an exception is its type and place: its text may hold a secret or a name (invariant 18)."""

import ast
from collections.abc import Iterator

import pytest

from tests.architecture.tree import files, short

LEVELS = {"debug", "info", "warning", "error", "critical", "exception"}
ROOMS = ("governor/", "workers/", "adapters/")
# A library's own text is turned into words here, whichever way it is done.
INTO_TEXT = {"str", "repr", "format", "format_exc", "format_exception"}
SAFE_MEMBERS = {"code", "reason"}
SAFE_CALLS = {"type", "what_broke"}


def _caught(tree: ast.AST) -> set[str]:
    """The names under which exceptions are known in this module."""
    caught = {one.name for one in ast.walk(tree) if isinstance(one, ast.ExceptHandler) and one.name}
    for one in ast.walk(tree):
        if (
            isinstance(one, ast.Assign)
            and isinstance(one.value, ast.Call)
            and getattr(one.value.func, "attr", "") == "exception"
        ):
            caught |= {target.id for target in one.targets if isinstance(target, ast.Name)}
    return caught


def _told(tree: ast.AST) -> Iterator[ast.Call]:
    """Every call that logs."""
    for one in ast.walk(tree):
        if (
            isinstance(one, ast.Call)
            and isinstance(one.func, ast.Attribute)
            and one.func.attr in LEVELS
            and isinstance(one.func.value, ast.Name)
            and one.func.value.id in {"log", "logger", "logging"}
        ):
            yield one


def _name(call: ast.Call) -> str:
    return getattr(call.func, "id", "") or getattr(call.func, "attr", "")


def _tells_too_much(call: ast.Call, caught: set[str]) -> bool:
    if _name(call) == "exception" or any(one.arg in {"exc_info", "stack_info"} for one in call.keywords):
        return True
    within = [*ast.walk(call)]
    safe = {
        id(name)
        for one in within
        for name in (
            [one.value]
            if isinstance(one, ast.Attribute) and one.attr in SAFE_MEMBERS
            else one.args
            if isinstance(one, ast.Call) and _name(one) in SAFE_CALLS
            else []
        )
    }
    return any(
        (isinstance(one, ast.Name) and one.id in caught and id(one) not in safe)
        or (isinstance(one, ast.Call) and _name(one) in INTO_TEXT)
        for one in within
    )


def _faults(code: str) -> list[int]:
    tree = ast.parse(code)
    return [call.lineno for call in _told(tree) if _tells_too_much(call, _caught(tree))]


def test_no_log_tells_the_text_of_an_exception() -> None:
    looked = [path for path in files(".py") if short(path).startswith(ROOMS)]
    calls = sum(len([*_told(ast.parse(path.read_text(encoding="utf-8")))]) for path in looked)
    assert calls > 40, "the search for what is logged finds nothing"
    found = {short(path): faults for path in looked if (faults := _faults(path.read_text(encoding="utf-8")))}
    assert found == {}


CAUGHT = "try:\n    go()\nexcept Exception as error:\n    "


@pytest.mark.parametrize(
    ("line", "is_fault"),
    [
        ('log.error("x", code=error.code)', False),
        ('log.error("x", **what_broke(error))', False),
        ('log.error("x", error=type(error).__name__)', False),
        ('log.error("x", detail=str(error))', True),
        ('log.error(f"broke: {error}")', True),
        ('log.error("x", error=error)', True),
        ('log.error("x", args=error.args)', True),
        ('log.error("x", exc_info=True)', True),
        ('log.exception("x")', True),
    ],
)
def test_the_rule_tells_a_text_from_a_name(line: str, *, is_fault: bool) -> None:
    assert bool(_faults(CAUGHT + line)) is is_fault
