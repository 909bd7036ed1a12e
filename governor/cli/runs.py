"""`governor run`: long work that is asked for, left and come back to, for whoever operates the host."""

from __future__ import annotations

import json
import secrets
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from governor.api.output import instant
from governor.bootstrap import Application
from governor.cli.local import application, host_in
from governor.cli.options import data_option, environment_option, page_options
from governor.cli.saying import REFUSED, Group, Said, listed, shown
from governor.domain.runs import Run, RunState

_COLUMNS = ("id", "kind", "state", "step", "done", "total", "person", "asked_at")


class JsonObject(click.ParamType[dict[str, Any]]):
    """One JSON object."""

    name = "json"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, Any]:  # noqa: ANN401  click's signature
        """The object, or a usage error."""
        try:
            found = value if isinstance(value, dict) else json.loads(value)
        except ValueError:
            found = None
        if not isinstance(found, dict):
            self.fail('parameters are one JSON object, such as {"currency": "usd"}', param, ctx)
        return found


@click.group("run", cls=Group)
def run() -> None:
    """Runs: work that may take long. A runner (`governor runner`) carries them out."""


@run.command("begin")
@click.argument("kind")
@click.option(
    "--parameters", type=JsonObject(), default="{}", help='What it is asked with: {"currency": "usd"}.'
)
@environment_option
@data_option()
def begin(kind: str, parameters: dict[str, Any], environment: str | None, data: Path | None) -> Said:
    """Ask for a run of a KIND: reconcile, export_trail, verify_trail, look_again, simulate_policy."""
    with application(data) as app:
        # Each command is a deed of its own.
        key = f"cli-run-{secrets.token_hex(16)}"
        asked, _ = app.long_work.runs.begin(host_in(app, environment), kind, parameters, key)
    return shown(shown_run(asked))


@run.command("list")
@page_options("the newest")
@environment_option
@data_option()
def list_(limit: int, after: str | None, environment: str | None, data: Path | None) -> Said:
    """Runs that wait, run, or ended within a week."""
    with application(data) as app:
        found = app.long_work.runs.listed(host_in(app, environment), after=after, at_most=limit)
    return listed([shown_run(one) for one in found], _COLUMNS, "there are no runs")


@run.command("show")
@click.argument("run_id")
@environment_option
@data_option()
def show(run_id: str, environment: str | None, data: Path | None) -> Said:
    """One run: how far it is, or what came of it. Exit 1 when it ended without a result."""
    with application(data) as app:
        return _said(_looked(app, environment, run_id))


@run.command("cancel")
@click.argument("run_id")
@environment_option
@data_option()
def cancel(run_id: str, environment: str | None, data: Path | None) -> Said:
    """Stop a run: at once while it waits, at its next step while it runs."""
    with application(data) as app:
        return shown(shown_run(app.long_work.runs.cancel(host_in(app, environment), run_id)))


@run.command("result")
@click.argument("run_id")
@click.argument("name")
@click.option("--output", type=click.Path(path_type=Path, dir_okay=False), required=True, help="The file to write.")  # fmt: skip
@environment_option
@data_option()
def result(run_id: str, name: str, output: Path, environment: str | None, data: Path | None) -> Said:
    """Write a file that a run made, by its NAME as `governor run show` lists it."""
    with application(data) as app:
        file, content = app.long_work.runs.content(host_in(app, environment), run_id, name)
        # Under another name until it is whole.
        partial = output.with_name(f"{output.name}.partial")
        try:
            with partial.open("wb") as target:
                target.writelines(content)
            partial.replace(output)
        finally:
            partial.unlink(missing_ok=True)
    return shown(vars(file), first=f"written: {output}")


def shown_run(run: Run) -> dict[str, Any]:
    """A run as JSON; times are RFC 3339 in UTC."""
    told = {name: value for name, value in vars(run).items() if name not in {"progress", "due_at"}}
    told |= {**vars(run.progress), "files": [vars(file) for file in run.files]}
    return {name: instant(value) if isinstance(value, datetime) else value for name, value in told.items()}


def _looked(app: Application, environment: str | None, run_id: str) -> Run:
    return app.long_work.runs.look(host_in(app, environment), run_id)


def _said(found: Run) -> Said:
    without = not found.unfinished and found.state is not RunState.DONE
    return shown(shown_run(found), exit_code=REFUSED if without else 0)
