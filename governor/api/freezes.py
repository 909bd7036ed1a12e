"""Freezes: stopping provider writes, and letting them go on."""

from __future__ import annotations

from typing import Any

from flask import Response

from governor.api.call import Call
from governor.api.output import Output, Time
from governor.api.power_inputs import FreezeIn
from governor.api.responses import answer
from governor.api.route import Route
from governor.domain.freezes import Freeze
from governor.domain.second_person import Word
from governor.usecases.freeze import FreezeDraft

PATH = "/api/v1/environment"


class WordOut(Output):
    """What one person said about a freeze."""

    person: str
    reason: str
    at: Time


class FreezeOut(Output):
    """A freeze. `proposed` is the first of two people who let it go on, `ended` the second: then it stands no more."""

    id: str
    scope: str
    value: str | None
    frozen: WordOut
    proposed: WordOut | None
    ended: WordOut | None


class FreezesOut(Output):
    """The freezes that stand, oldest first."""

    data: list[FreezeOut]


def shown_freeze(freeze: Freeze) -> dict[str, Any]:
    """A freeze, all of it."""
    return FreezeOut(
        id=freeze.id,
        scope=freeze.scope.value,
        value=freeze.value,
        frozen=_shown(freeze.frozen),
        proposed=_shown(freeze.proposed) if freeze.proposed else None,
        ended=_shown(freeze.ended) if freeze.ended else None,
    ).model_dump(mode="json")


def _shown(word: Word) -> WordOut:
    return WordOut(person=word.person, reason=word.reason, at=word.at)


def _list(call: Call) -> Response:
    return answer({"data": [shown_freeze(one) for one in call.use.queries.freezes(call.caller)]})


def _freeze(call: Call) -> Response:
    draft = FreezeDraft(**vars(call.body(FreezeIn)))
    return _done(*call.use.freeze_refunds.freeze(call.caller, draft, call.key))


def _unfreeze(call: Call) -> Response:
    draft = FreezeDraft(**vars(call.body(FreezeIn)))
    return _done(*call.use.freeze_refunds.unfreeze(call.caller, draft, call.key))


def _done(freeze: Freeze, replayed: bool) -> Response:
    return answer(shown_freeze(freeze), headers={"Idempotent-Replayed": "true"} if replayed else {})


ROUTES = (
    Route("GET", "/api/v1/freezes", _list, "What is frozen now, by whom and why.", FreezesOut),
    Route(
        "POST",
        f"{PATH}/freeze",
        _freeze,
        "Stop all provider writes of a scope, at once and alone. Reads, decisions of approvers and recovery go on.",
        FreezeOut,
        body=FreezeIn,
        keyed=True,
        headers=("Idempotent-Replayed",),
        problems=("credential_not_found",),
    ),
    Route(
        "POST",
        f"{PATH}/unfreeze",
        _unfreeze,
        "Let them go on: the first person proposes it, another one ends the freeze.",
        FreezeOut,
        body=FreezeIn,
        keyed=True,
        headers=("Idempotent-Replayed",),
        problems=("not_frozen", "second_person_needed", "unfreeze_needs_human"),
    ),
)
