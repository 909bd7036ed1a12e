"""`governor audit pairs`: who approves whom, and which pairs somebody should look at."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import click

from governor.cli.local import application, host_in
from governor.cli.options import Moment, data_option, environment_option
from governor.cli.saying import Command, Said, listed


@click.command("pairs", cls=Command)
@environment_option
@click.option("--from", "since", type=Moment(), help="Inclusive; 30 days before --to when not given.")
@click.option("--to", "until", type=Moment(), help="Exclusive; now when not given.")
@data_option()
def pairs(environment: str | None, since: datetime | None, until: datetime | None, data: Path | None) -> Said:
    """Who decided whose requests, and how. A pair is unusual when one says yes to nearly everything of the other.

    It is a reason to look, and no proof: whoever is the only one on duty approves everybody.
    """
    with application(data) as app:
        name = host_in(app, environment).environment
        found = app.audit_reports.pairs(name, app.audit_reports.period(since, until))
    rows = [{**vars(one.pair), "amounts": dict(one.pair.amounts), "unusual": one.stands_out} for one in found]
    columns = ("asker", "approver", "approved", "rejected", "amounts", "unusual")
    return listed(rows, columns, "nobody has decided anything")
