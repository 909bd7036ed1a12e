"""`governor bench …`: every bench as a command, on servers of its own; no running governor is touched or needed."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import click

from governor.bench import admission, batch, dispatch, growth, http_requests, latency, limits
from governor.bench.measure import BrokenRunError, Effort
from governor.bench.report import Report, as_table, is_right

Command = Callable[..., None]

FULL_ROUNDS = 3
"""How many times longer the long form measures."""


@click.group()
def bench() -> None:
    """Measure governor against yardsticks of the same run. Ratios are the point: absolute numbers are the machine's.

    Exit status: 0 measured, 1 when a call failed or the books were not clean afterwards.
    """


def _measured(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that every bench has."""
    for option in (
        click.option("--seconds", type=click.FloatRange(min=0.05), help="Seconds of one measurement."),
        click.option("--rounds", type=click.IntRange(min=1), help="How often each subject has its turn."),
        click.option("--full", is_flag=True, help="The long form: more rounds, larger sizes."),
        click.option("--json", "as_json", is_flag=True, help="The report as JSON."),
    ):
        command = option(command)
    return command


def _effort(default: Effort, rounds: int | None, seconds: float | None, *, full: bool) -> Effort:
    longer = replace(default, rounds=default.rounds * FULL_ROUNDS) if full else default
    return replace(longer, rounds=rounds or longer.rounds, seconds=seconds or longer.seconds)


def _show(measure: Callable[[], Report], *, as_json: bool) -> None:
    """Measure, print, and fail loudly when what was fast was wrong."""
    try:
        found = measure()
    except BrokenRunError as error:
        raise click.ClickException(str(error)) from error
    click.echo(json.dumps(found, indent=2) if as_json else as_table(found))
    if not is_right(found):
        raise click.exceptions.Exit(1)


@bench.command("admission")
@_measured
def _admission(*, as_json: bool, full: bool, rounds: int | None, seconds: float | None) -> None:
    """Durable decisions of 64 callers on shared allowances, against a hot row, an INSERT and FOR UPDATE."""
    effort = _effort(admission.DEFAULT, rounds, seconds, full=full)
    _show(lambda: admission.run(effort), as_json=as_json)


@bench.command("http")
@_measured
def _http(*, as_json: bool, full: bool, rounds: int | None, seconds: float | None) -> None:
    """POST /api/v1/refund-requests against an authenticated one-INSERT endpoint of the same server."""
    effort = _effort(http_requests.DEFAULT, rounds, seconds, full=full)
    _show(lambda: http_requests.run(effort), as_json=as_json)


@bench.command("growth")
@_measured
@click.option("--past", type=click.IntRange(min=1), help="Past requests of the long past.")
def _growth(
    *, as_json: bool, full: bool, rounds: int | None, seconds: float | None, past: int | None
) -> None:
    """A decision behind 1,000 past requests against one behind many (--full: ten million, for hours and much disk)."""
    effort = _effort(growth.DEFAULT, rounds, seconds, full=full)
    size = past or (growth.OLDEST if full else growth.OLD)
    _show(lambda: growth.run(effort, past=(growth.YOUNG, size)), as_json=as_json)


@bench.command("limits")
@_measured
def _limits(*, as_json: bool, full: bool, rounds: int | None, seconds: float | None) -> None:
    """One limit that applies against sixteen."""
    effort = _effort(limits.DEFAULT, rounds, seconds, full=full)
    _show(lambda: limits.run(effort), as_json=as_json)


@bench.command("batch")
@_measured
def _batch(*, as_json: bool, full: bool, rounds: int | None, seconds: float | None) -> None:
    """POST /api/v1/refund-batches of 500 lines against one request after the other."""
    effort = _effort(batch.DEFAULT, rounds, seconds, full=full)
    _show(lambda: batch.run(effort), as_json=as_json)


@bench.command("dispatch")
@_measured
def _dispatch(*, as_json: bool, full: bool, rounds: int | None, seconds: float | None) -> None:
    """Queue to settled: at the environment's rate with a slow provider, then against a bare loop of SDK calls."""
    effort = _effort(dispatch.DEFAULT, rounds, seconds, full=full)
    refunds = dispatch.REFUNDS * (FULL_ROUNDS if full else 1)
    _show(lambda: dispatch.run(effort, refunds=refunds), as_json=as_json)


@bench.command("latency")
@_measured
def _latency(*, as_json: bool, full: bool, rounds: int | None, seconds: float | None) -> None:
    """Admitted to settled in an idle system, against one bare SDK call. A round is one refund; it ends by itself."""
    del seconds
    refunds = rounds or latency.REFUNDS * (FULL_ROUNDS if full else 1)
    _show(lambda: latency.run(refunds=refunds), as_json=as_json)
