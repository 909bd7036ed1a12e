"""For every argument of a page's rule, something of a world that the page can show.

Whoever adds a page with a new argument adds an id for it here: the tests of every page then visit it. Whoever adds a
page that shows what people write puts `text` there: the tests of hostile texts then look at it.
"""

from __future__ import annotations

from datetime import timedelta

from governor.domain.approval import Ballot, Choice
from governor.domain.credentials import Role
from governor.domain.endpoints import EndpointKind
from governor.domain.limits import Scope
from governor.domain.rules import Conditions, Consequence, RuleEffect, RuleMode
from governor.usecases.freeze import FreezeDraft
from governor.usecases.manage_endpoints import EndpointDraft
from governor.usecases.rule_drafts import RuleDraft
from governor.usecases.stand_ins import StandInDraft
from tests.builders import World, fresh_key
from tests.console.crew import LOGINS

BROKEN = "It came broken."


def examples(world: World, text: str = BROKEN) -> dict[str, str]:
    """Argument of a rule → an id in this world, with `text` wherever somebody may write what they like."""
    limit = world.limit(1_000_000_000, approval_above=1)
    asker = world.caller(name=one_line(text), owner=one_line(text))
    payment = world.payment(5000, customer="cus_example")
    # The agent that signs in speaks for this one: there are pages for nobody else's.
    own = world.caller(name=one_line(text), owner=one_line(text), agent=LOGINS[Role.AGENT])
    request = world.request(own, payment, 500, case="ZD-1", note=text)
    approver = world.approver()
    hold, _ = world.app.queries.hold(approver, request.hold or "")
    ballot = Ballot(Choice.REJECT, hold.digest, hold.version, text)
    world.app.decide_hold(approver, hold.id, ballot, fresh_key("vote"))
    waiting = world.request(asker, world.payment(50_000, customer="cus_example"), 30_000, note=text)
    attention = world.app.approval_desk.attention
    attention.escalate(approver, waiting.hold or "", None, text, fresh_key("escalation"))
    draft = RuleDraft(
        one_line(text), RuleMode.DRY_RUN, None, Conditions(), Consequence(RuleEffect.APPROVAL, 1)
    )
    rule, _ = world.app.rules.change.create(world.operator, draft, fresh_key("rule"))
    endpoint, message = told(world, text)
    run, _ = world.app.long_work.runs.begin(world.operator, "verify_trail", {}, fresh_key("run"))
    stop = FreezeDraft(Scope.CUSTOMER, "cus_stopped", text)
    freeze, _ = world.app.freeze_refunds.freeze(world.operator, stop, fresh_key("freeze"))
    world.app.freeze_refunds.unfreeze(world.operator, stop, fresh_key("unfreeze"))
    return {
        "request_id": request.id,
        "hold_id": waiting.hold or "",
        "run_id": run.id,
        "name": "audit.ndjson",
        "rule_id": rule.id,
        "credential_id": asker.credential.id,
        "limit_id": limit.id,
        "change_id": limit.change or "",
        "freeze_id": freeze.id,
        "stand_in_id": stand_in(world, text),
        "endpoint_id": endpoint,
        "message_id": message,
    }


def stand_in(world: World, text: str) -> str:
    """An approver who is away, and the one who signs in for the tests, who stands in and may end it."""
    away = world.approver(owner=f"{fresh_key('away')} {one_line(text)}")
    other = world.approver(owner=LOGINS[Role.APPROVER])
    until = world.app.store.now() + timedelta(days=7)
    draft = StandInDraft(other.credential.owner, None, until)
    return world.app.stand_ins(away, draft, fresh_key("stand-in")).id


def told(world: World, text: str) -> tuple[str, str]:
    """An endpoint that is told of something, and the message; nobody carries it there."""
    messages = world.app.messages
    draft = EndpointDraft(EndpointKind.WEBHOOK, "https://hooks.example.com/governor", (), (), one_line(text))
    endpoint = messages.endpoints.create(world.operator, draft, fresh_key("endpoint")).endpoint.id
    messages.endpoints.test(world.operator, endpoint, fresh_key("told"))
    while messages.tell():
        pass
    return endpoint, messages.see.deliveries(world.operator, endpoint, at_most=1)[0].message


def one_line(text: str) -> str:
    """As much of a text as a name may have."""
    return "".join(character for character in text if character.isprintable())[:120] or "somebody"


def address_of(environment: str, rule: str, ids: dict[str, str]) -> str:
    """The address of a page with these ids."""
    path = rule
    for argument, value in ids.items():
        path = path.replace(f"<{argument}>", value)
    assert "<" not in path, f"{rule} has an argument without an example in tests/console/examples.py"
    return f"/console/e/{environment}{path}"
