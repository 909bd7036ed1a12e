"""What a bench says: one JSON shape for all, a table for people, and whether the books were clean afterwards."""

from __future__ import annotations

import multiprocessing
import platform
from collections.abc import Mapping, Sequence
from typing import Any

from governor.bootstrap import Application

Report = dict[str, Any]
"""`figures` by subject, one or more ratios, `p50_ms` and `p99_ms` of governor, `fsck`, `errors`, `machine`, `runs`."""

CLEAN = "clean"


def report(
    figures: Mapping[str, Mapping[str, float]],
    of: str,
    *,
    fsck: str,
    errors: Sequence[str],
    runs: int,
    **ratios: float,
) -> Report:
    """The report of a bench whose own latencies are those of the subject `of`."""
    return {
        "figures": {name: dict(values) for name, values in figures.items()},
        **{name: round(value, 3) for name, value in ratios.items()},
        "p50_ms": figures[of].get("p50_ms", 0.0),
        "p99_ms": figures[of].get("p99_ms", 0.0),
        "fsck": fsck,
        "errors": list(errors),
        "machine": machine(),
        "runs": runs,
    }


def fsck(app: Application) -> str:
    """`clean`, or how many findings there are and the first: a fast wrong number is a failure."""
    findings = app.check_books().findings
    if not findings:
        return CLEAN
    first = findings[0]
    return f"{len(findings)} findings, first {first.code} at {first.object}: {first.expected} expected, {first.found} found"


def is_right(found: Report) -> bool:
    """Whether the books are clean and nothing failed."""
    return found["fsck"] == CLEAN and not found["errors"]


def ratio(of: float, to: float) -> float:
    """How many times `to` goes into `of`; 0 when there is nothing to compare with."""
    return of / to if to else 0.0


def machine() -> str:
    """What this ran on, in one line."""
    cores = multiprocessing.cpu_count()
    return f"{platform.system()} {platform.machine()}, {cores} cores, Python {platform.python_version()}"


def as_table(found: Report) -> str:
    """For people: one line a subject, then the ratios and the verdict."""
    figures: Mapping[str, Mapping[str, float]] = found["figures"]
    columns = list(dict.fromkeys(column for values in figures.values() for column in values))
    lines = [["", *columns]]
    lines += [
        [name, *(f"{values[column]:,.1f}" if column in values else "" for column in columns)]
        for name, values in figures.items()
    ]
    widths = [max(len(line[n]) for line in lines) for n in range(len(columns) + 1)]
    table = [
        "  ".join(
            [line[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(line[1:], widths[1:], strict=True))]
        )
        for line in lines
    ]
    shown = [name for name in found if name not in {"figures", "errors"}]
    rest = [f"{name.replace('_', ' ')}: {found[name]}" for name in shown]
    return "\n".join([*table, "", *rest, *(f"failed: {error}" for error in found["errors"])])
