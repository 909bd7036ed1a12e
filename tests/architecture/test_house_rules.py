import ast
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

from tests.architecture.tree import files, short

LONGEST_FILE = 250
LONGEST_FUNCTION = 40
# Names under which anything can be put, so that nobody finds it again (LAYOUT.md, "Absent on purpose").
HOMELESS = {"utils.py", "helpers.py", "constants.py", "models.py", "base.py"}
# What an exemption from a check looks like, and what it looks like with its reason.
EXEMPTION = re.compile(r"#\s*(noqa|type:\s*ignore|pragma:|fmt:)", re.IGNORECASE)
EXPLAINED = re.compile(
    r"#\s*noqa:\s*[A-Z]+\d+(?:,\s*[A-Z]+\d+)*\s+(?:[-#:]\s*)?\w.{7,}"
    r"|#\s*type:\s*ignore\[[\w-]+(?:,\s*[\w-]+)*\]\s+#\s*\S.{7,}"
    r"|#\s*fmt:\s*(?:skip|off|on)",
    re.IGNORECASE,
)


def _python_files() -> list[Path]:
    found = files(".py")
    assert len(found) > 50, "the search for Python files finds nothing"
    return found


def _functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def test_a_file_fits_on_five_screens() -> None:
    lengths = {short(path): len(path.read_text(encoding="utf-8").splitlines()) for path in _python_files()}
    assert {name: length for name, length in lengths.items() if length > LONGEST_FILE} == {}


def test_a_function_fits_on_one_screen() -> None:
    too_long = {
        f"{short(path)}:{function.name}": length
        for path in _python_files()
        for function in _functions(path)
        if (length := (function.end_lineno or 0) - function.lineno + 1) > LONGEST_FUNCTION
    }
    assert too_long == {}


def test_a_package_says_in_its_init_what_it_is_and_nothing_more() -> None:
    wrong = []
    for path in files("__init__.py"):
        module = ast.parse(path.read_text(encoding="utf-8"))
        if ast.get_docstring(module) is None or len(module.body) != 1:
            wrong.append(short(path))
    assert wrong == []


def test_no_file_has_a_name_under_which_anything_could_be_put() -> None:
    assert [short(path) for path in _python_files() if path.name in HOMELESS] == []


def _comments(path: Path) -> Iterator[tuple[int, str]]:
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.COMMENT:
                yield token.start[0], token.string


def test_every_exemption_from_a_check_gives_its_reason() -> None:
    unexplained = [
        f"{short(path)}:{line}: {comment}"
        for path in _python_files()
        for line, comment in _comments(path)
        if EXEMPTION.search(comment) and not EXPLAINED.search(comment)
    ]
    assert unexplained == []


def test_the_rule_on_exemptions_tells_reasons_from_none() -> None:
    for explained in ("# noqa: S603 - our own binary", "# type: ignore[no-any-return]  # rq has no types"):
        assert EXPLAINED.search(explained)
    for unexplained in (
        "# noqa",
        "# noqa: S603",
        "# noqa: S603 - ok",
        "# type: ignore",
        "# type: ignore[misc]",
    ):
        assert EXEMPTION.search(unexplained)
        assert not EXPLAINED.search(unexplained)


def test_no_test_is_skipped_or_expected_to_fail() -> None:
    ways = re.compile(r"mark\.(?:skip|skipif|xfail)\b|pytest\.(?:skip|xfail|importorskip)\(")
    # The twin's answers are compared with documents that are no part of the project; without them there is nothing.
    # A disk can only be filled where one may be mounted, and a process's clock only be moved with a C compiler.
    # A browser can only be asked where there is one; in CI the browser tests fail without.
    allowed = re.compile(r"^tests/(sandbox/|servers_die/test_(disk_full|clocks)\.py|browser/conftest\.py)")
    found = [
        short(path)
        for path in _python_files()
        if short(path).startswith("tests/")
        and path != Path(__file__).resolve()
        and ways.search(path.read_text(encoding="utf-8"))
    ]
    assert [name for name in found if not allowed.search(name)] == []
