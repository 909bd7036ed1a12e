"""Reconciling as a run: the provider first, then both planes, then every line as a file."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from governor.domain.canonical import canonical_json
from governor.domain.errors import invalid
from governor.domain.reconciliation import Report
from governor.domain.runs import OVERSEERS
from governor.usecases.callers import Caller
from governor.usecases.carrying import NDJSON, Carried
from governor.usecases.catch_up import CatchUp
from governor.usecases.read_inbox import ReadInbox
from governor.usecases.reconcile import Reconcile
from governor.usecases.run_long_work import Json
from governor.usecases.run_parameters import currency_in, flag_in, moment_in, refuse_others

PERIOD: Final = timedelta(days=30)
"""Up to now, when no period is named."""

SHOWN_LINES: Final = 50
"""How many unexplained lines the summary shows; the files have all."""


@dataclass(frozen=True)
class Reconciling:
    """The exposure plane against the evidence plane: `currency`, `from`, `to`, `ask_provider` (true if not said).

    `report` and `csv` say how a report is written.
    """

    catch_up: CatchUp
    read_inbox: ReadInbox
    reconcile: Reconcile
    report: Callable[[Report], Json]
    csv: Callable[[Report], str]
    roles = OVERSEERS

    def read(self, parameters: Mapping[str, Any], now: datetime) -> Json:
        """The period is said in full: up to now, a second on, for the provider tells whole seconds."""
        refuse_others(parameters, ("currency", "from", "to", "ask_provider"))
        until = moment_in(parameters, "to", now.astimezone(UTC) + timedelta(seconds=1))
        since = moment_in(parameters, "from", until - PERIOD)
        if since >= until:
            raise invalid("/to", "period_empty", "A period ends after it begins.")
        return {
            "currency": currency_in(parameters),
            "from": since.isoformat(),
            "to": until.isoformat(),
            "ask_provider": flag_in(parameters, "ask_provider", otherwise=True),
        }

    def carry(self, caller: Caller, parameters: Mapping[str, Any], carried: Carried) -> Json:
        """Catch up with the provider, then compare; the lines as files, what must be looked at in the summary."""
        environment, ask = caller.environment, parameters["ask_provider"]
        if ask:
            carried.at("catching up with the provider's events")
            self.catch_up.events(environment)
            carried.at("catching up with the provider's refunds")
            self.catch_up.refunds(environment)
            carried.at("reading the inbox")
            self.read_inbox(environment)
        carried.at("holding the books against the provider" if ask else "reading the books")
        since, until = (datetime.fromisoformat(parameters[name]) for name in ("from", "to"))
        currency = parameters["currency"]
        report = self.reconcile(environment, currency, since, until, ask_provider=ask)
        told = self.report(report)
        lines: list[Json] = told.pop("lines")
        carried.at("writing the lines", 0, len(lines))
        name = f"reconciliation-{currency}"
        carried.write(f"{name}.csv", "text/csv", [self.csv(report).encode()])
        carried.write(f"{name}.ndjson", NDJSON, (canonical_json(line) + b"\n" for line in lines))
        carried.at("writing the lines", len(lines), len(lines))
        unexplained = [line for line in lines if not line["explained"]]
        explanations = Counter(line["explanation"] for line in lines)
        counted = {"lines": len(lines), "explanations": dict(explanations)}
        return told | counted | {"unexplained_lines": unexplained[:SHOWN_LINES]}
