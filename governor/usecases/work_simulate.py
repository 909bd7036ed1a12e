"""Simulating as a run: more of the past than anybody waits for, under limits and rules that are only proposed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from governor.domain.canonical import canonical_json
from governor.domain.runs import MOST_SUMMARY, OVERSEERS
from governor.domain.simulation import Simulation
from governor.usecases.callers import Caller
from governor.usecases.carrying import Carried
from governor.usecases.run_long_work import Json
from governor.usecases.run_parameters import refuse_others
from governor.usecases.simulate_policy import (
    MOST_ON_THE_HOST,
    USUAL_DAYS,
    ProposedPolicy,
    SimulatePolicy,
    check_days,
)

FILE: Final = "simulation.json"


@dataclass(frozen=True)
class Simulating:
    """The last `days` (30 if not said) under `limits` and `rules`, each as the surface takes it; null: those in force.

    `proposed` reads them, `shown` says how a report is written.
    """

    simulate: SimulatePolicy
    proposed: Callable[[Mapping[str, Any]], ProposedPolicy]
    shown: Callable[[Simulation], Json]
    roles = OVERSEERS

    def read(self, parameters: Mapping[str, Any], now: datetime) -> Json:  # noqa: ARG002  as every work is asked
        """What would be refused later is refused before anything waits."""
        refuse_others(parameters, ("days", "limits", "rules"))
        days = USUAL_DAYS if parameters.get("days") is None else parameters["days"]
        check_days(days)
        self.proposed(parameters).check()
        return {"days": days, "limits": parameters.get("limits"), "rules": parameters.get("rules")}

    def carry(self, caller: Caller, parameters: Mapping[str, Any], carried: Carried) -> Json:
        """The report as a file; with as many of its examples as there is room for in the summary."""
        carried.at("reading the past")
        proposed, days = self.proposed(parameters), parameters["days"]
        told = self.shown(
            self.simulate.replay(
                caller,
                proposed,
                days,
                at_most=MOST_ON_THE_HOST,
                went=lambda done, total: carried.at("replaying", done, total),
            )
        )
        carried.write(FILE, "application/json", [canonical_json(told)])
        return _fitting(told)


def _fitting(told: Json) -> Json:
    """As much of a report as a summary takes: its examples, and then its rules, are left out from the end."""
    for name in ("examples", "fired"):
        while told[name] and len(canonical_json(told)) > MOST_SUMMARY:
            told[name].pop()
    return told
