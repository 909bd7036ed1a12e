"""Approval rules, and the ones that fired for a request, as callers see them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pydantic import ConfigDict

from governor.api.output import Output, Time
from governor.domain.credentials import Role
from governor.domain.rule_form import then_form, when_form
from governor.domain.rule_health import RuleHealth
from governor.domain.rule_words import words
from governor.domain.rules import Rule, RuleMode
from governor.ports.rules import WrittenRule


class GroundOut(Output):
    """One condition as the request met it. `known` false: nobody knows whether it holds, so people are asked.

    `so_far` is what adds up without this request, for `value`; null unless the condition is cumulative. `measure` says
    what the numbers are: `amount` in minor units, `count` of refunds, null for what is neither.
    """

    condition: str
    known: bool
    threshold: Any
    so_far: int | None
    this_request: Any
    value: str | None
    measure: str | None = None


class FiredRuleOut(Output):
    """A rule that fired, at the revision it had then. `effect` is what followed; in `dry_run` nothing did."""

    rule: str
    revision: int
    name: str
    words: str
    effect: str
    mode: str
    why: list[GroundOut]


def fired_rules_out(fired: Iterable[Mapping[str, Any]], role: Role) -> list[FiredRuleOut]:
    """The rules that fired as a role may see them: what is only tried out is for those who watch over the rules."""
    seen = (one for one in fired if role is not Role.AGENT or one["mode"] == RuleMode.ENFORCE)
    return [FiredRuleOut(**one) for one in seen]


class ConditionsOut(Output):
    """The conditions that are given, all of which must hold; none: the rule fires for every request."""

    model_config = ConfigDict(extra="allow")


class ConsequenceOut(Output):
    """What follows; `quorum`, `approvers` (null: every approver) and `expires_seconds` are an approval's."""

    model_config = ConfigDict(extra="allow")

    effect: str


class RuleOut(Output):
    """An approval rule as it stands, or at one of its revisions. `words` is the same as one sentence."""

    id: str
    revision: int
    name: str
    words: str
    mode: str
    starts_at: Time | None
    when: ConditionsOut
    then: ConsequenceOut
    archived: bool


class RevisionOut(RuleOut):
    """One revision of a rule, with the credential that wrote it."""

    written_by: str
    written_at: Time


def _members(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.id,
        "revision": rule.revision,
        "name": rule.name,
        "words": words(rule),
        "mode": rule.mode,
        "starts_at": rule.starts_at,
        "when": when_form(rule.when),
        "then": then_form(rule.then),
        "archived": rule.archived,
    }


def shown_rule(rule: Rule) -> dict[str, Any]:
    """A rule, all of it."""
    return RuleOut(**_members(rule)).model_dump(mode="json")


def shown_revision(written: WrittenRule) -> dict[str, Any]:
    """One revision of a rule."""
    by = {"written_by": written.written_by, "written_at": written.written_at}
    return RevisionOut(**_members(written.rule), **by).model_dump(mode="json")


class RuleHealthOut(Output):
    """What became of the requests for which a rule fired, of the `looked_at` newest, all since `since`.

    `held` are those it held; `approved_percent` of those that people decided, `median_seconds` from the request to its
    last vote; both null before any was. `at_stake`: minor units by currency.
    """

    rule: str
    since: Time
    looked_at: int
    hits: int
    in_dry_run: int
    denied: int
    held: int
    waiting: int
    expired: int
    approved: int
    rejected: int
    approved_percent: int | None
    median_seconds: int | None
    at_stake: dict[str, int]
    never_fired: bool
    always_approved: bool


def shown_health(health: RuleHealth) -> dict[str, Any]:
    """How a rule does."""
    return RuleHealthOut(
        **vars(health),
        approved_percent=health.approved_percent,
        never_fired=health.never_fired,
        always_approved=health.always_approved,
    ).model_dump(mode="json")
