"""Trying limits and rules on the past. Nothing is written, so no key is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

from flask import Response
from pydantic import Field, StrictInt, ValidationError

from governor.api.call import Call
from governor.api.inputs import Input, refusal
from governor.api.limit_inputs import LimitIn
from governor.api.responses import answer
from governor.api.route import Route
from governor.api.rule_inputs import RuleIn
from governor.api.shown_simulation import SimulationOut, shown_simulation
from governor.domain.errors import invalid
from governor.domain.past_file import past_from_csv
from governor.domain.rules import MOST_RULES
from governor.usecases.change_limit import LimitDraft
from governor.usecases.simulate_policy import (
    MOST_DAYS,
    MOST_LIMITS,
    MOST_REPLAYED,
    USUAL_DAYS,
    ProposedPolicy,
)


class SimulationIn(Input):
    """Which past: the last `days` (30 when nothing is said), or a `csv` of refunds as Stripe exports them.

    Which policy: `limits` and `rules` to try; left out, those in force stay.
    """

    days: Annotated[StrictInt, Field(ge=1, le=MOST_DAYS)] | None = None
    csv: Annotated[str, Field(min_length=1)] | None = None
    limits: Annotated[tuple[LimitIn, ...], Field(max_length=MOST_LIMITS)] | None = None
    rules: Annotated[tuple[RuleIn, ...], Field(max_length=MOST_RULES)] | None = None

    def proposed(self) -> ProposedPolicy:
        """The policy to try."""
        return ProposedPolicy(
            None if self.limits is None else tuple(LimitDraft(**one.model_dump()) for one in self.limits),
            None if self.rules is None else tuple(one.draft() for one in self.rules),
        )


def proposed_policy(parameters: Mapping[str, Any]) -> ProposedPolicy:
    """The `limits` and `rules` of a JSON object, as this surface takes them.

    Raises:
        Invalid: with everything that is wrong.
    """
    given = {name: parameters.get(name) for name in ("limits", "rules")}
    try:
        return SimulationIn.model_validate(given).proposed()
    except ValidationError as error:
        raise refusal(error) from None


def _simulate(call: Call) -> Response:
    body = call.body(SimulationIn)
    simulate = call.use.rules.simulate
    if body.csv is None:
        return answer(
            shown_simulation(simulate.replay(call.caller, body.proposed(), body.days or USUAL_DAYS))
        )
    if body.days is not None:
        raise invalid("/days", "one_past", "Either the last days are replayed, or what is sent.")
    past = past_from_csv(body.csv.splitlines(keepends=True), at_most=MOST_REPLAYED)
    return answer(shown_simulation(simulate.replay_uploaded(call.caller, body.proposed(), past)))


ROUTES = (
    Route(
        "POST",
        "/api/v1/rules/simulate",
        _simulate,
        "What other limits and rules would have made of the past. Writes nothing.",
        SimulationOut,
        body=SimulationIn,
    ),
)
