"""`governor doctor`: is what governor runs on fit for money?"""

from __future__ import annotations

from pathlib import Path

import click

from governor.cli.examination import examine
from governor.cli.folders import chosen_folder
from governor.cli.local import application
from governor.cli.options import data_option
from governor.cli.saying import REFUSED, Command, Said


@click.command("doctor", cls=Command)
@data_option()
def doctor(data: Path | None) -> Said:
    """Check settings, database, queue, provider, clock and secrets: a line each, exit 1 when one fails."""
    with application(data) as app:
        lines = examine(app, chosen_folder(data))
    failed = any(line.state == "fail" for line in lines)
    value = {"doctor": "fail" if failed else "ok", "checks": [vars(line) for line in lines]}
    text = "\n".join(f"{line.state:<4}  {line.check:<10}  {line.says}" for line in lines)
    return Said(value, text, REFUSED if failed else 0)
