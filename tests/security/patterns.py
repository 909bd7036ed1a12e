"""Every regular expression in the code, and texts that are as hard for it as texts can be."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOMS = ("governor", "adapters", "workers")
_WITH_PATTERN = frozenset(
    {"compile", "search", "match", "fullmatch", "sub", "subn", "split", "findall", "finditer"}
)
Look = Callable[[Any], object]
"""`search` or `match` of one pattern."""
_ALWAYS = "aZ0_-.@:/ \t\"'\\é"
_SEARCHES = re.compile(r"\b(\w+)\.(?:search|sub|subn|split|findall|finditer)\(")
_PLAIN_BEGINNING = re.compile(r"[A-Za-z_=/:-]*")


MADE_IN_A_LOOP = {"adapters/sandbox/routes.py": "_PATTERNS"}
"""Where a pattern is made of what a loop has at hand: the name of the list that the loop fills, second in each pair."""


def patterns(root: Path) -> Iterator[tuple[str, Look]]:
    """Where each stands, and how it looks at a text.

    Raises:
        NameError: one is put together from what a function has at hand; nobody can try that beforehand.
    """
    sources = {
        path: path.read_text(encoding="utf-8") for room in ROOMS for path in (root / room).rglob("*.py")
    }
    searched = frozenset(_SEARCHES.findall("\n".join(sources.values())))
    for path, source in sorted(sources.items()):
        within = path.relative_to(root)
        if (name := MADE_IN_A_LOOP.get(within.as_posix())) is not None:
            made = [pattern.search for _, pattern in getattr(_module(within), name)]
            yield from ((f"{within}:{name}:{number}", one) for number, one in enumerate(made))
            continue
        if "re." not in source:
            continue
        module = ast.parse(source)
        names = _names(module)
        for call in _calls(module):
            pattern = _compiled(call, within)
            anywhere = _is_searched(call, names.get(call.lineno), searched)
            yield f"{within}:{call.lineno}", pattern.search if anywhere else pattern.match


def _names(module: ast.Module) -> dict[int, str]:
    """Line → the name that what is made there is given."""
    given = [node for node in ast.walk(module) if isinstance(node, ast.Assign | ast.AnnAssign) and node.value]
    targets = [
        (node.value, node.targets[0] if isinstance(node, ast.Assign) else node.target) for node in given
    ]
    return {value.lineno: to.id for value, to in targets if value is not None and isinstance(to, ast.Name)}


def _is_searched(call: ast.Call, name: str | None, searched: frozenset[str]) -> bool:
    """Whether it is looked for anywhere in a text; what only ever has to fit from the beginning is spared that.

    `searched` are the names of those that some code looks for anywhere.
    """
    assert isinstance(call.func, ast.Attribute)
    if call.func.attr != "compile" or name is None:
        return call.func.attr not in {"match", "fullmatch"}
    return name in searched


def _calls(module: ast.Module) -> Iterator[ast.Call]:
    for node in ast.walk(module):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "re"
            and node.func.attr in _WITH_PATTERN
        ):
            yield node


def _compiled(call: ast.Call, path: Path) -> re.Pattern[Any]:
    assert isinstance(call.func, ast.Attribute)
    flags = call.args[1:] if call.func.attr == "compile" else []
    compiling = ast.Attribute(ast.Name("re", ast.Load()), "compile", ast.Load())
    named = [one for one in call.keywords if one.arg == "flags"]
    wanted = ast.fix_missing_locations(ast.Call(compiling, [call.args[0], *flags], named))
    found: re.Pattern[Any] = eval(ast.unparse(wanted), vars(_module(path)))  # noqa: S307 - the project's own source
    return found


def _module(path: Path) -> ModuleType:
    return importlib.import_module(".".join(path.with_suffix("").parts).removesuffix(".__init__"))


def pattern_of(look: Look) -> re.Pattern[Any]:
    """The pattern that a look is of."""
    found: re.Pattern[Any] = getattr(look, "__self__")  # noqa: B009 - a method's own object has no other name
    return found


def hard_texts(look: Look, size: int) -> Iterator[Any]:
    """Long runs of everything that the pattern knows, behind how it begins, with an end that fits nothing."""
    words = pattern_of(look).pattern
    if isinstance(words, bytes):
        yield from (text.encode("latin-1") for text in _texts(words.decode("latin-1"), size))
    else:
        yield from _texts(words, size)


def _texts(words: str, size: int) -> Iterator[str]:
    own = sorted({char for char in words if char.isprintable()} | set(_ALWAYS))
    begins = _PLAIN_BEGINNING.match(words)
    beginning = begins[0] if begins else ""
    for unit in [*own, *(f"{one}." for one in own), "a@", "a1", "= ", "a,", "a:/", "{}"]:
        run = unit * (size // len(unit))
        yield run + "\0"
        if beginning:
            yield f"{beginning}{run}\0"
