"""Approval rules: what waits for people, and what is refused whatever the limits allow."""

from __future__ import annotations

from flask import Response

from governor.api.call import Call
from governor.api.output import Output
from governor.api.responses import answer, etag
from governor.api.route import Route
from governor.api.rule_inputs import RuleIn
from governor.api.shown_rules import (
    RevisionOut,
    RuleHealthOut,
    RuleOut,
    shown_health,
    shown_revision,
    shown_rule,
)
from governor.domain.rules import Rule

COLLECTION = "/api/v1/rules"


class RulesOut(Output):
    """The rules of the environment, oldest first; the archived ones only when asked for."""

    data: list[RuleOut]


class RevisionsOut(Output):
    """Every revision of a rule, newest first."""

    data: list[RevisionOut]


def _shown(rule: Rule, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    return answer(shown_rule(rule), status, etag(rule.revision) | (headers or {}))


def _flag(value: str) -> str:
    if value not in {"true", "false"}:
        raise ValueError
    return value


def _list(call: Call) -> Response:
    archived = call.one("archived", _flag) == "true"
    return answer(
        {"data": [shown_rule(one) for one in call.use.rules.read.all(call.caller, archived=archived)]}
    )


def _create(call: Call) -> Response:
    rule, replayed = call.use.rules.change.create(call.caller, call.body(RuleIn).draft(), call.key)
    headers = {"Location": f"{COLLECTION}/{rule.id}"} | ({"Idempotent-Replayed": "true"} if replayed else {})
    return _shown(rule, 201, headers)


def _read(call: Call, rule_id: str) -> Response:
    return _shown(call.use.rules.read.one(call.caller, rule_id))


def _replace(call: Call, rule_id: str) -> Response:
    draft = call.body(RuleIn).draft()
    return _shown(call.use.rules.change.update(call.caller, rule_id, draft, call.revision))


def _archive(call: Call, rule_id: str) -> Response:
    return _shown(call.use.rules.change.archive(call.caller, rule_id, call.revision))


def _revisions(call: Call, rule_id: str) -> Response:
    return answer(
        {"data": [shown_revision(one) for one in call.use.rules.read.history(call.caller, rule_id)]}
    )


def _health(call: Call, rule_id: str) -> Response:
    return answer(shown_health(call.use.rules.read.health(call.caller, rule_id)))


_STALE = ("rule_not_found", "precondition_required", "precondition_failed", "revision_stale")
_ONE = f"{COLLECTION}/<rule_id>"

ROUTES = (
    Route(
        "GET",
        COLLECTION,
        _list,
        "The rules; with `archived=true` those of the past too.",
        RulesOut,
        query=("archived",),
    ),
    Route(
        "POST",
        COLLECTION,
        _create,
        "A new rule; what it adds up counts the exposure that already exists.",
        RuleOut,
        statuses=(201,),
        body=RuleIn,
        keyed=True,
        headers=("ETag", "Location", "Idempotent-Replayed"),
        problems=("too_many_rules",),
    ),
    Route("GET", _ONE, _read, "One rule.", RuleOut, headers=("ETag",), problems=("rule_not_found",)),
    Route(
        "PUT",
        _ONE,
        _replace,
        "The rule says this from now on. What waits already waits as it was told to.",
        RuleOut,
        body=RuleIn,
        conditional=True,
        headers=("ETag",),
        problems=_STALE,
    ),
    Route(
        "DELETE",
        _ONE,
        _archive,
        "Archive: it is looked at no more; its history stays.",
        RuleOut,
        conditional=True,
        headers=("ETag",),
        problems=_STALE,
    ),
    Route(
        "GET",
        f"{_ONE}/health",
        _health,
        "How a rule did in the last 30 days: how often it fired, and what became of that.",
        RuleHealthOut,
        problems=("rule_not_found",),
    ),
    Route(
        "GET",
        f"{_ONE}/revisions",
        _revisions,
        "Every revision of a rule, and who wrote it.",
        RevisionsOut,
        problems=("rule_not_found",),
    ),
)
