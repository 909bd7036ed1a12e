"""`governor policy simulate`: other limits and rules, tried on the past."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from governor.api.limit_inputs import LimitIn
from governor.api.rule_inputs import RuleIn
from governor.api.shown_simulation import shown_simulation
from governor.cli.json_files import FILE, all_in, fitting
from governor.cli.local import application, host_in
from governor.cli.options import Whole, data_option, environment_option
from governor.cli.saying import Command, Said
from governor.domain.past_file import past_from_csv, past_from_ndjson
from governor.domain.replay_of_past import PastRefund
from governor.usecases.change_limit import LimitDraft
from governor.usecases.simulate_policy import MOST_DAYS, MOST_ON_THE_HOST, ProposedPolicy

TOLD = ("id", "revision", "words", "archived", "change", "pending", "written_by", "written_at")
"""What a rule or limit says of itself when it is shown, and nobody sets."""


@click.command("simulate", cls=Command)
@click.option("--days", type=Whole(1, MOST_DAYS), help="Replay the last days of this environment; 30 if nothing is said.")  # fmt: skip
@click.option("--file", "file", type=FILE, help="Replay refunds as Stripe exports them: .csv, or one JSON object a line.")  # fmt: skip
@click.option(
    "--limits", type=FILE, help="Limits to try, as `limit list --json` says them; else those in force."
)
@click.option(
    "--rules", type=FILE, help="Rules to try, as `policy list --json` says them; else those in force."
)
@environment_option
@data_option()
def simulate(
    days: int | None,
    file: Path | None,
    limits: Path | None,
    rules: Path | None,
    environment: str | None,
    data: Path | None,
) -> Said:
    """What other limits and rules would have made of the past. Writes nothing."""
    if days is not None and file is not None:
        raise click.UsageError("either the last --days are replayed, or a --file")
    proposed = _proposed(limits, rules)
    past = None if file is None else _past(file)
    with application(data) as app:
        caller = host_in(app, environment)
        if past is None:
            replay = app.rules.simulate.replay
            found = replay(caller, proposed, days or 30, at_most=MOST_ON_THE_HOST)
        else:
            found = app.rules.simulate.replay_uploaded(caller, proposed, past)
    said = shown_simulation(found)
    return Said(said, "\n".join(_lines(said)))


def _proposed(limits: Path | None, rules: Path | None) -> ProposedPolicy:
    return ProposedPolicy(
        None if limits is None else tuple(_limit(form) for form in all_in(limits)),
        None if rules is None else tuple(fitting(RuleIn, form, TOLD).draft() for form in all_in(rules)),
    )


def _limit(form: dict[str, Any]) -> LimitDraft:
    return LimitDraft(**fitting(LimitIn, form, TOLD).model_dump())


def _past(file: Path) -> tuple[PastRefund, ...]:
    try:
        with click.open_file(str(file), encoding="utf-8-sig") as lines:
            read = past_from_csv if file.suffix.lower() == ".csv" else past_from_ndjson
            return read(lines, at_most=MOST_ON_THE_HOST)
    except (OSError, UnicodeDecodeError):
        raise click.UsageError(f"{file} cannot be read") from None


def _lines(said: Mapping[str, Any]) -> list[str]:
    """The report for people: what changed first, since that is what they ask for."""
    asked = f"{said['asked']} requests from {said['since'] or '-'} to {said['until'] or '-'}"
    lines = [asked + ("" if said["is_whole"] else "; older ones were left out")]
    lines += [
        f"  {one['verdict']:<12} {one['before']['count']:>7} then, {one['after']['count']:>7} now"
        f"   {_sums(one['after']['sums'])}".rstrip()
        for one in said["verdicts"]
    ]
    lines += ["nothing would have changed"] if not said["changes"] else ["what would have changed:"]
    lines += [
        f"  {one['before']} -> {one['after']}: {one['count']}   {_sums(one['sums'])}"
        for one in said["changes"]
    ]
    lines += [f"  rule {one['rule']!r} fired {one['fired']} times" for one in said["fired"]]
    return lines + [line for one in said["examples"] for line in _example(one)]


def _example(one: Mapping[str, Any]) -> list[str]:
    what = f"  {one['at']} {one['id']} {one['amount']} {one['currency']}: {one['before']} -> {one['after']}"
    return [
        what,
        *(f"      rule: {rule['words']}" for rule in one["rules"]),
        *(
            f"      limit of one {line['scope']}: {line['headroom']} left of {line['cap']}"
            for line in one["limits"]
        ),
    ]


def _sums(sums: Mapping[str, int]) -> str:
    return ", ".join(f"{minor} {currency}" for currency, minor in sums.items())
