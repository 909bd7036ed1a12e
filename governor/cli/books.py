"""`governor fsck`: does everything that must add up add up?"""

from __future__ import annotations

from pathlib import Path

import click

from governor.cli.local import application
from governor.cli.options import ENVIRONMENT_NAME, data_option
from governor.cli.saying import REFUSED, Command, Said
from governor.usecases.check_books import BooksReport


@click.command("fsck", cls=Command)
@click.option("--environment", type=ENVIRONMENT_NAME, help="Only this one; all of them when not given.")
@data_option()
def fsck(environment: str | None, data: Path | None) -> Said:
    """Check the books in one snapshot, without stopping anybody: exit 0 when clean, 1 with findings.

    Every counter against its holds, every hold against its request's state, every payment against its requests,
    every open request against the limits that apply, the columns of every request, and the seal of every audit row.
    """
    with application(data) as app:
        return _said(app.check_books(environment))


def _said(report: BooksReport) -> Said:
    verdict = "broken" if report.findings else "clean"
    value = {
        "fsck": verdict,
        "environments": list(report.environments),
        **report.sizes,
        "findings": [vars(finding) for finding in report.findings],
    }
    sizes = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in report.sizes.items())
    lines = [
        f"{finding.code}: {finding.environment}: {finding.object}: expected {finding.expected}, found {finding.found}"
        for finding in report.findings
    ]
    return Said(value, "\n".join([*lines, f"{verdict}: {sizes}"]), REFUSED if report.findings else 0)
