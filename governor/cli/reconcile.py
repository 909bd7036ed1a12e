"""`governor reconcile`: catch up with the provider, then hold the exposure plane against the evidence plane."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import click

from governor.api.shown_reports import csv_of, shown_report
from governor.cli.local import application, host_in
from governor.cli.options import Currency, Moment, data_option, environment_option
from governor.cli.saying import REFUSED, Command, Said
from governor.domain.reconciliation import Planes, Report


@click.command("reconcile", cls=Command)
@environment_option
@click.option("--currency", type=Currency(), default="usd", show_default=True)
@click.option("--from", "since", type=Moment(), help="Inclusive; 30 days before --to when not given.")
@click.option("--to", "until", type=Moment(), help="Exclusive; now when not given.")
@click.option("--csv", "as_csv", is_flag=True, help="The lines as CSV.")
@click.option("--offline", is_flag=True, help="From the books alone: the provider is not asked anything.")
@data_option()
def reconcile(
    environment: str | None,
    currency: str,
    since: datetime | None,
    until: datetime | None,
    as_csv: bool,
    offline: bool,
    data: Path | None,
) -> Said:
    """Exposure against evidence, for a period and a currency: exit 0 when all is explained, 1 when not.

    First the provider's events and all its refunds are read, so that webhooks which never came are made up for.
    Then every request and every refund made elsewhere is one line on both planes. Their totals stand side by side
    and are never forced to agree.
    """
    with application(data) as app:
        name = host_in(app, environment).environment
        if not offline:
            app.catch_up(name)
            app.read_inbox(name)
        report = app.reconcile(name, currency, since, until, ask_provider=not offline)
    exit_code = REFUSED if report.unexplained else 0
    return Said(shown_report(report), csv_of(report).rstrip() if as_csv else _told(report), exit_code)


def _told(report: Report) -> str:
    lines = [
        f"{line.request or line.refunds[0]}: {line.explanation}: {line.state},"
        f" {_sums(line.planes)}, difference {line.planes.difference}"
        for line in report.lines
        if not line.explained
    ]
    totals = report.totals
    return "\n".join(
        [
            *lines,
            f"{report.environment}, {report.currency}, {_utc(report.since)} to {_utc(report.until)} UTC",
            f"exposure: held {totals.held}, settled {totals.settled}",
            f"evidence: pending {totals.pending}, succeeded {totals.succeeded}, failed {totals.failed}",
            f"difference {totals.difference}; {len(report.lines)} lines, {report.unexplained} unexplained",
        ]
    )


def _utc(at: datetime) -> str:
    return f"{at.astimezone(UTC):%Y-%m-%d %H:%M}"


def _sums(planes: Planes) -> str:
    return f"exposure {planes.held} + {planes.settled}, evidence {planes.pending} + {planes.succeeded}"
