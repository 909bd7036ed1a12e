"""Approval rules: in words, with how they do, what they said before, and what they would have made of the past."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from flask import Response

from governor.console.charts import Chart, Kind, Series
from governor.console.fields import Filled, Form
from governor.console.page import Group, Page
from governor.console.steer.rule_forms import FORM, REVISION, SECTIONS, answers_of, draft_in
from governor.console.visit import Visit
from governor.domain.credentials import Role
from governor.domain.errors import PreconditionFailed, Refused
from governor.domain.replay_of_past import Verdict
from governor.domain.rule_words import words
from governor.domain.rules import Rule, RuleMode
from governor.domain.simulation import Simulation
from governor.usecases.rule_drafts import RuleDraft, draft_of
from governor.usecases.simulate_policy import ProposedPolicy

RULES = "/rules"
TRIED_DAYS = 30
_READERS = (Role.OPERATOR, Role.APPROVER, Role.AUDITOR)
_WRITERS = (Role.OPERATOR,)
_ARCHIVE = Form((REVISION,))
_BEGUN = {
    RuleMode.ENFORCE: "The rule is in force.",
    RuleMode.DRY_RUN: "The dry run begins: where the rule fires is recorded, and nothing is held because of it.",
}


def _archived(text: str) -> str:
    if text != "archived":
        raise ValueError
    return text


def _list(visit: Visit) -> Response:
    rules, archived = visit.use.rules.read, visit.one("show", _archived) is not None
    health = {} if archived else {one.rule: one for one in rules.health_of_all(visit.caller)}
    shown = [one for one in rules.all(visit.caller, archived=archived) if one.archived is archived]
    return visit.show(
        "rules/list.html",
        rules=[(one, words(one), health.get(one.id)) for one in shown],
        over=next(iter(health.values()), None),
        archived=archived,
        may_write=visit.caller.role in _WRITERS,
    )


def _health(visit: Visit) -> Response:
    """How each rule did: what it costs people, what it stops, and whether anybody still reads what it holds."""
    read = visit.use.rules.read
    rules = {one.id: one for one in read.all(visit.caller)}
    found = [(rules[one.rule], one) for one in read.health_of_all(visit.caller) if one.rule in rules]
    return visit.show(
        "rules/health.html",
        rules=found,
        over=found[0][1] if found else None,
        always=[rule for rule, one in found if one.always_approved],
        never=[rule for rule, one in found if one.never_fired],
    )


def _one(visit: Visit, rule_id: str) -> Response:
    return _shown(visit, rule_id, visit.form(_ARCHIVE))


def _shown(visit: Visit, rule_id: str, form: Filled, *, status: int = 200) -> Response:
    read = visit.use.rules.read
    rule, revisions = read.one(visit.caller, rule_id), read.history(visit.caller, rule_id)
    return visit.show(
        "rules/one.html",
        status=status,
        rule=rule,
        words=words(rule),
        health=read.health(visit.caller, rule_id),
        revisions=[(one, words(one.rule)) for one in revisions],
        owners=visit.use.queries.owners(visit.caller, {one.written_by for one in revisions}),
        reach=read.reach(visit.caller, rule.then),
        form=form,
        may_write=visit.caller.role in _WRITERS and not rule.archived,
    )


def _new(visit: Visit) -> Response:
    start = {"mode": "dry_run", "effect": "approval"}
    return _asked(visit, visit.form(start=start), None)


def _create(visit: Visit) -> Response:
    """First what it would have made of the past, then the rule."""
    filled = visit.form()
    try:
        draft, _ = draft_in(filled)
        draft.check()
        if filled.checked == "yes":
            rule, _ = visit.use.rules.change.create(visit.caller, draft, filled.once)
            return visit.go(f"{RULES}/{rule.id}", _BEGUN[rule.mode])
    except Refused as refusal:
        return _asked(visit, filled.refused(refusal), None, status=422)
    return _tried(visit, filled, draft, None)


def _edit(visit: Visit, rule_id: str) -> Response:
    rule = visit.use.rules.read.one(visit.caller, rule_id)
    return _asked(visit, visit.form(start=answers_of(rule)), rule)


def _change(visit: Visit, rule_id: str) -> Response:
    filled = visit.form()
    rule = visit.use.rules.read.one(visit.caller, rule_id)
    try:
        draft, revision = draft_in(filled, rule.starts_at)
        draft.check()
        if filled.checked == "yes":
            visit.use.rules.change.update(visit.caller, rule_id, draft, revision or 0)
            return visit.go(f"{RULES}/{rule_id}", "The rule says something else from now on.")
    except PreconditionFailed as stale:
        # Whoever sends it again has seen what stands now.
        seen = {**filled.typed, "revision": (str(rule.revision),)}
        anew = Filled(filled.form, filled.once, seen).refused(stale)
        return _asked(visit, anew, rule, stands=words(rule), status=422)
    except Refused as refusal:
        return _asked(visit, filled.refused(refusal), rule, status=422)
    return _tried(visit, filled, draft, rule)


def _asked(
    visit: Visit, form: Filled, rule: Rule | None, *, stands: str | None = None, status: int = 200
) -> Response:
    return visit.show(
        "rules/edit.html", status=status, form=form, rule=rule, sections=SECTIONS, stands=stands
    )


def _tried(visit: Visit, filled: Filled, draft: RuleDraft, rule: Rule | None) -> Response:
    """The form again when something is to be changed, else what the rules would have made of the last days."""
    if filled.checked == "no":
        return _asked(visit, filled, rule)
    return visit.show(
        "rules/check.html",
        form=filled,
        rule=rule,
        draft=draft,
        words=words(Rule(id="", revision=1, **vars(draft))),
        reach=visit.use.rules.read.reach(visit.caller, draft.then),
        title="Try the rule",
        **_replayed(visit, rule, draft, "With this rule"),
    )


def _replayed(visit: Visit, rule: Rule | None, draft: RuleDraft | None, name: str) -> dict[str, Any]:
    """The last days with all other rules and this draft in place of `rule`; a dry run is looked at as if it acted."""
    others = (one for one in visit.use.rules.read.all(visit.caller) if rule is None or one.id != rule.id)
    tried = () if draft is None else (replace(draft, mode=RuleMode.ENFORCE),)
    proposed = ProposedPolicy(rules=(*map(draft_of, others), *tried))
    found = visit.use.rules.simulate.replay(visit.caller, proposed, TRIED_DAYS)
    return {
        "found": found,
        "chart": _picture(found, f"{name}, the last {TRIED_DAYS} days"),
        "days": TRIED_DAYS,
    }


def _picture(found: Simulation, name: str) -> Chart:
    """What would have become of each day's requests."""
    days = tuple(f"{day:%d %b}" for day in found.days)
    series = tuple(
        Series(name, tuple(counts["after"][verdict] for counts in found.days.values()))
        for name, verdict in (
            ("let through", Verdict.LET_THROUGH),
            ("held", Verdict.HELD),
            ("denied", Verdict.DENIED),
        )
    )
    after = {verdict: heap.count for verdict, heap in found.after.items()}
    said = ", ".join(f"{count} {verdict.value.replace('_', ' ')}" for verdict, count in after.items())
    return Chart(name, f"{said}.", days, series, Kind.BARS)


def _archive(visit: Visit, rule_id: str) -> Response:
    """First what the other rules would have made of the past; then the end of the revision that was looked at."""
    filled = visit.form()
    rule = visit.use.rules.read.one(visit.caller, rule_id)
    try:
        seen = filled.read()["revision"]
        if not rule.archived:
            if filled.checked != "yes":
                return _last_look(visit, filled, rule)
            visit.use.rules.change.archive(visit.caller, rule_id, seen or 0)
    except PreconditionFailed as stale:
        anew = visit.use.rules.read.one(visit.caller, rule_id)
        return _last_look(visit, filled.refused(stale), anew, status=422)
    except Refused as refusal:
        return _shown(visit, rule_id, filled.refused(refusal), status=422)
    return visit.go(RULES, "The rule is archived. What waits because of it still waits.")


def _last_look(visit: Visit, form: Filled, rule: Rule, *, status: int = 200) -> Response:
    """Before a rule ends. Whoever says yes to it has seen the revision that is shown."""
    return visit.show(
        "rules/archive.html",
        status=status,
        form=replace(form, typed={"revision": (str(rule.revision),)}),
        rule=rule,
        words=words(rule),
        **_replayed(visit, rule, None, "Without this rule"),
    )


PAGES = (
    Page(
        "GET",
        RULES,
        _list,
        _READERS,
        "Approval rules",
        query=("show",),
        group=Group.RULES,
        label="Approval rules",
    ),
    Page("GET", f"{RULES}/health", _health, _READERS, "How the rules do"),
    Page("GET", f"{RULES}/new", _new, _WRITERS, "New rule", form=FORM),
    Page("POST", f"{RULES}/new", _create, _WRITERS, "New rule", form=FORM),
    Page("GET", f"{RULES}/<rule_id>", _one, _READERS, "Rule", form=_ARCHIVE, finds=(("rule_", "rule_id"),)),
    Page("POST", f"{RULES}/<rule_id>", _archive, _WRITERS, "Rule", form=_ARCHIVE),
    Page("GET", f"{RULES}/<rule_id>/edit", _edit, _WRITERS, "Change a rule", form=FORM),
    Page("POST", f"{RULES}/<rule_id>/edit", _change, _WRITERS, "Change a rule", form=FORM),
)
