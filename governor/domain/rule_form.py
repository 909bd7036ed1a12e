"""A rule as JSON and back: the one form in which it is stored, audited, sent and shown."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import time
from typing import Any

from governor.domain.credentials import Kind
from governor.domain.limits import Measure, Scope
from governor.domain.rules import Conditions, Consequence, Cumulative, Hours, RuleEffect, Weekday
from governor.domain.windows import WindowKind

Form = Mapping[str, Any]


def when_form(when: Conditions) -> dict[str, Any]:
    """The conditions that are given, by name; amounts in minor units."""
    given = {name: value for name, value in vars(when).items() if value not in (None, ())}
    if when.reasons:
        given["reasons"] = list(when.reasons)
    if when.requester is not None:
        given["requester"] = when.requester.value
    if when.hours is not None:
        given["hours"] = _hours_form(when.hours)
    if when.cumulative is not None:
        asked = when.cumulative
        words = {name: getattr(asked, name).value for name in ("scope", "measure", "window")}
        given["cumulative"] = vars(asked) | words
    return given


def when_from(form: Form) -> Conditions:
    """The conditions that a form gives. It was checked before: by the surface, or when it was stored."""
    given = {name: value for name, value in form.items() if value is not None}
    if "reasons" in given:
        given["reasons"] = tuple(given["reasons"])
    if "requester" in given:
        given["requester"] = Kind(given["requester"])
    if "hours" in given:
        given["hours"] = _hours_from(given["hours"])
    if "cumulative" in given:
        asked = dict(given["cumulative"])
        kinds = {"scope": Scope, "measure": Measure, "window": WindowKind}
        given["cumulative"] = Cumulative(**asked | {name: kind(asked[name]) for name, kind in kinds.items()})
    return Conditions(**given)


def then_form(then: Consequence) -> dict[str, Any]:
    """What follows; what an approval asks for only where it is one."""
    if then.effect is not RuleEffect.APPROVAL:
        return {"effect": then.effect.value}
    return {
        "effect": then.effect.value,
        "quorum": then.quorum,
        "approvers": None if then.approvers is None else list(then.approvers),
        "expires_seconds": then.expires_seconds,
    }


def then_from(form: Form) -> Consequence:
    """What a form says follows; an approval by one person when it does not say by how many."""
    effect = RuleEffect(form["effect"])
    quorum, approvers = form.get("quorum"), form.get("approvers")
    usual = 1 if effect is RuleEffect.APPROVAL else 0
    return Consequence(
        effect,
        usual if quorum is None else quorum,
        None if approvers is None else tuple(approvers),
        form.get("expires_seconds"),
    )


def _hours_form(hours: Hours) -> dict[str, Any]:
    return {
        "begins": f"{hours.begins:%H:%M}",
        "ends": f"{hours.ends:%H:%M}",
        "weekdays": [day.value for day in hours.weekdays],
        "time_zone": hours.time_zone,
    }


def _hours_from(form: Form) -> Hours:
    days = tuple(Weekday(day) for day in form["weekdays"])
    return Hours(
        time.fromisoformat(form["begins"]), time.fromisoformat(form["ends"]), days, form["time_zone"]
    )
