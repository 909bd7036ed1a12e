"""How the lives begin in which processes die (tests/crashes/stories.py)."""

from __future__ import annotations

from governor.domain.approval import Choice
from governor.domain.credentials import Kind, Role
from governor.domain.endpoints import EndpointKind
from governor.domain.lifecycle import State
from governor.domain.resolutions import Ending
from governor.domain.seen import AsSeen
from governor.usecases.callers import Caller
from governor.usecases.manage_endpoints import EndpointDraft
from tests.crashes.stage import CAP, Stage
from tests.usecases.limit_sayings import another, change, two_people
from workers import relay
from workers.drain import drain

REFUNDS = "/v1/refunds"
ELSEWHERE, NEARLY_ALL = 700, 4000
TOLD = ("refund_request.queued", "refund_request.succeeded")


def nothing(_: Stage) -> None:
    """The client has not asked yet."""


def no_room(stage: Stage) -> None:
    stage.asked["amount"] = 1500
    stage.world.change_cap(stage.limit, 1000)


def listened_to(stage: Stage) -> None:
    """Somebody wants to hear of it, and the client has asked."""
    world = stage.world
    draft = EndpointDraft(EndpointKind.WEBHOOK, stage.receiver.url, (), TOLD, None)
    world.app.messages.endpoints.create(world.operator, draft, "listen-to-it-1")
    stage.ask()


def asked(stage: Stage) -> None:
    stage.ask()


def rung(stage: Stage) -> None:
    stage.ask()
    relay.run_once(stage.world.app)
    assert len(stage.rung()) == 1


def waits_for_approval(stage: Stage) -> None:
    world = stage.world
    world.app.change_limit.archive(world.operator, stage.limit.id, AsSeen(stage.limit.revision))
    stage.limit = world.limit(CAP, approval_above=100)
    stage.ask()
    stage.hold, _ = world.app.queries.hold(stage.approver, stage.known().hold or "")


def approved(stage: Stage) -> None:
    waits_for_approval(stage)
    stage.world.decide(stage.approver, stage.known(), Choice.APPROVE)


def waited_long(stage: Stage) -> None:
    """So long that the payment is read again before anybody approves."""
    waits_for_approval(stage)
    stage.world.advance(16 * 60)


def time_runs_out(stage: Stage) -> None:
    waits_for_approval(stage)
    stage.world.advance(stage.world.approval_seconds * 4 // 5)


def waited_too_long(stage: Stage) -> None:
    waits_for_approval(stage)
    stage.world.advance(stage.world.approval_seconds + 1)


def claimed(stage: Stage) -> None:
    """By a worker that died at once, a lease ago."""
    rung(stage)
    stage.world.app.dispatch_refund.claim(stage.world.environment, 1)
    stage.world.advance(61)


def claimed_then_stopped(stage: Stage) -> None:
    """By a worker whose gate is about to be closed."""
    rung(stage)
    (stage.claim,) = stage.world.app.dispatch_refund.claim(stage.world.environment, 1)
    stage.stop_writes()


def reply_lost(stage: Stage) -> None:
    rung(stage)
    stage.twin.fault("drop_after", method="POST", path=REFUNDS)
    drain(stage.world.app, stage.known().id)
    assert stage.state() is State.UNKNOWN
    stage.world.advance(30)


def no_longer_wanted(stage: Stage) -> None:
    reply_lost(stage)
    stage.world.app.cancel_refund(stage.agent, stage.known().id, "cancel-it-1")


def loses_the_reply(stage: Stage) -> None:
    rung(stage)
    stage.twin.fault("drop_after", method="POST", path=REFUNDS)


def told_by_webhook(stage: Stage) -> None:
    reply_lost(stage)
    stage.note_event()


def in_the_inbox(stage: Stage) -> None:
    told_by_webhook(stage)
    assert stage.deliver() == 200


def refunded_elsewhere(stage: Stage) -> None:
    """For this payment, by somebody in the Dashboard; the client's own request is queued."""
    rung(stage)
    stage.twin.dashboard_refund(stage.payment, ELSEWHERE)


def little_left(stage: Stage) -> None:
    """Somebody in the Dashboard was faster: the provider will refuse what is more than is left."""
    rung(stage)
    stage.twin.dashboard_refund(stage.payment, NEARLY_ALL)


def raise_proposed(stage: Stage) -> None:
    """Raises need two here, and one person has said that the limit shall allow more."""
    rung(stage)
    two_people(stage.world)
    change(stage.world, stage.limit, CAP + 500)
    stage.second = another(stage.world)


def said_by_one(stage: Stage) -> None:
    """The call was lost on its way, and one person has said so."""
    rung(stage)
    stage.twin.fault("drop_before", method="POST", path=REFUNDS)
    drain(stage.world.app, stage.known().id)
    resolve(stage, stage.world.operator, "resolve-first-1")
    stage.second = stage.world.caller(Role.OPERATOR, "second", kind=Kind.HUMAN)


def resolve(stage: Stage, person: Caller, key: str) -> None:
    stage.world.app.resolve_unknown(person, stage.known().id, Ending.FAILED, "the provider says so", key)
