"""The unknown desk: what nobody knows yet, a look at the provider now, and resolutions by two people."""

from __future__ import annotations

from typing import Any

from flask import Response

from governor.api.call import Call
from governor.api.inputs import NothingIn, ResolutionIn
from governor.api.output import Output
from governor.api.responses import answer, page
from governor.api.route import Route
from governor.api.shown_doubt import (
    EvidencePackOut,
    ProposalOut,
    UnknownListOut,
    proposal_out,
    shown_pack,
    shown_total,
    shown_unknown,
)
from governor.api.shown_requests import RefundRequestOut, is_final, shown_request
from governor.domain.resolutions import Ending
from governor.usecases.resolve_unknown import Resolution

COLLECTION = "/api/v1/unknown"


class WarningOut(Output):
    """Something to know before the matter is closed."""

    code: str
    detail: str


class ResolutionOut(Output):
    """What stands after a person has spoken. `completed` is false while `proposal` waits for a second one."""

    refund_request: RefundRequestOut
    completed: bool
    proposal: ProposalOut | None
    warnings: list[WarningOut]


KEY_STILL_YOUNG = WarningOut(
    code="key_still_young",
    detail="The key is younger than 20 hours: a call on its way could still make this refund. If it does, that is"
    " booked as an overrun and halts the environment.",
)


def _list(call: Call) -> Response:
    desk = call.use.unknown_desk.listed(call.caller, after=call.after, at_most=call.page_size + 1)
    return page(
        call,
        desk.items,
        lambda item: shown_unknown(item, desk.speaking, call.caller, desk.at),
        lambda item: item.request.id,
        {"summary": [shown_total(total) for total in desk.totals]},
    )


def _read(call: Call, request_id: str) -> Response:
    return answer(shown_pack(call.use.unknown_desk.pack(call.caller, request_id), call.caller))


def _reconcile(call: Call, request_id: str) -> Response:
    call.body(NothingIn)
    request = call.use.unknown_desk.look_now(call.caller, request_id)
    return answer(shown_request(request, call.caller))


def _resolve(call: Call, request_id: str) -> Response:
    body = call.body(ResolutionIn)
    said = call.use.resolve_unknown(call.caller, request_id, body.outcome, body.reason, call.key)
    sent = {"Idempotent-Replayed": "true"} if said.replayed else {}
    return answer(_shown(call, said, body.outcome), 200 if is_final(said.request) else 202, sent)


def _shown(call: Call, said: Resolution, outcome: Ending) -> dict[str, Any]:
    warned = said.may_still_execute and outcome is Ending.FAILED
    waiting = None if said.waiting is None else proposal_out(said.waiting).model_dump(mode="json")
    return {
        "refund_request": shown_request(said.request, call.caller),
        "completed": is_final(said.request),
        "proposal": waiting,
        "warnings": [KEY_STILL_YOUNG.model_dump(mode="json")] if warned else [],
    }


ROUTES = (
    Route(
        "GET",
        COLLECTION,
        _list,
        "What nobody knows yet, longest in doubt first, with what all of it adds up to.",
        UnknownListOut,
        listing=True,
    ),
    Route(
        "GET",
        f"{COLLECTION}/<request_id>",
        _read,
        "The evidence pack: everything known of one request, and the payment's refunds at the provider now.",
        EvidencePackOut,
        problems=("refund_request_not_found",),
    ),
    Route(
        "POST",
        f"{COLLECTION}/<request_id>/reconcile",
        _reconcile,
        "Read at the provider now; nothing is sent. The request as it is afterwards.",
        RefundRequestOut,
        body=NothingIn,
        body_optional=True,
        problems=("refund_request_not_found", "payment_facts_unavailable"),
    ),
    Route(
        "POST",
        f"{COLLECTION}/<request_id>/resolutions",
        _resolve,
        "Say how it ended. The second, different person who says the same ends it; later evidence still wins.",
        ResolutionOut,
        statuses=(200, 202),
        body=ResolutionIn,
        keyed=True,
        headers=("Idempotent-Replayed",),
        problems=(
            "refund_request_not_found",
            "not_unknown",
            "refund_seen",
            "self_resolution",
            "resolution_needs_human",
            "second_person_needed",
            "resolution_conflict",
        ),
    ),
)
