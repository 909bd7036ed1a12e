"""The lives in which processes die: how each begins, what the one that dies was doing, and how it must end.

The end is the one it has without a crash: a crash may cost time, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from governor.domain.approval import Choice
from governor.domain.credentials import Kind, Role
from governor.domain.endpoints import EndpointKind
from governor.domain.lifecycle import State
from governor.domain.resolutions import Ending
from governor.usecases.callers import Caller
from governor.usecases.manage_endpoints import EndpointDraft
from tests.builders import limit_draft
from tests.crashes.stage import CAP, Stage
from workers import cron, relay
from workers.drain import drain

REFUNDS = "/v1/refunds"
ELSEWHERE, NEARLY_ALL = 700, 4000
TOLD = ("refund_request.queued", "refund_request.succeeded")


@dataclass(frozen=True)
class Story:
    """How it begins, what is under way, and how it ends.

    `by_people`: whoever gets no answer asks again, under the same key. `executed`: refunds at the provider;
    `elsewhere`: how much of them somebody made past governor. `told`: the types of messages that whoever listens gets.
    """

    prepare: Callable[[Stage], None]
    deed: Callable[[Stage], Any]
    end: State
    executed: int
    by_people: bool = False
    elsewhere: int = 0
    told: tuple[str, ...] = ()


def _nothing(_: Stage) -> None:
    """The client has not asked yet."""


def _no_room(stage: Stage) -> None:
    stage.asked["amount"] = 1500
    stage.world.change_cap(stage.limit, 1000)


def _listened_to(stage: Stage) -> None:
    """Somebody wants to hear of it, and the client has asked."""
    world = stage.world
    draft = EndpointDraft(EndpointKind.WEBHOOK, stage.receiver.url, (), TOLD, None)
    world.app.messages.endpoints.create(world.operator, draft, "listen-to-it-1")
    stage.ask()


def _asked(stage: Stage) -> None:
    stage.ask()


def _rung(stage: Stage) -> None:
    stage.ask()
    relay.run_once(stage.world.app)
    assert len(stage.rung()) == 1


def _waits_for_approval(stage: Stage) -> None:
    world = stage.world
    world.app.change_limit.archive(world.operator, stage.limit.id, stage.limit.revision)
    stage.limit = world.limit(CAP, approval_above=100)
    stage.ask()
    stage.hold, _ = world.app.queries.hold(stage.approver, stage.known().hold or "")


def _waited_too_long(stage: Stage) -> None:
    _waits_for_approval(stage)
    stage.world.advance(stage.world.approval_seconds + 1)


def _claimed(stage: Stage) -> None:
    """By a worker that died at once, a lease ago."""
    _rung(stage)
    stage.world.app.dispatch_refund.claim(stage.world.environment, 1)
    stage.world.advance(61)


def _claimed_then_stopped(stage: Stage) -> None:
    """By a worker whose gate is about to be closed."""
    _rung(stage)
    (stage.claim,) = stage.world.app.dispatch_refund.claim(stage.world.environment, 1)
    stage.stop_writes()


def _reply_lost(stage: Stage) -> None:
    _rung(stage)
    stage.twin.fault("drop_after", method="POST", path=REFUNDS)
    drain(stage.world.app, stage.known().id)
    assert stage.state() is State.UNKNOWN
    stage.world.advance(30)


def _no_longer_wanted(stage: Stage) -> None:
    _reply_lost(stage)
    stage.world.app.cancel_refund(stage.agent, stage.known().id, "cancel-it-1")


def _loses_the_reply(stage: Stage) -> None:
    _rung(stage)
    stage.twin.fault("drop_after", method="POST", path=REFUNDS)


def _told_by_webhook(stage: Stage) -> None:
    _reply_lost(stage)
    stage.note_event()


def _in_the_inbox(stage: Stage) -> None:
    _told_by_webhook(stage)
    assert stage.deliver() == 200


def _refunded_elsewhere(stage: Stage) -> None:
    """For this payment, by somebody in the Dashboard; the client's own request is queued."""
    _rung(stage)
    stage.twin.dashboard_refund(stage.payment, ELSEWHERE)


def _little_left(stage: Stage) -> None:
    """Somebody in the Dashboard was faster: the provider will refuse what is more than is left."""
    _rung(stage)
    stage.twin.dashboard_refund(stage.payment, NEARLY_ALL)


def _said_by_one(stage: Stage) -> None:
    """The call was lost on its way, and one person has said so."""
    _rung(stage)
    stage.twin.fault("drop_before", method="POST", path=REFUNDS)
    drain(stage.world.app, stage.known().id)
    _resolve(stage, stage.world.operator, "resolve-first-1")
    stage.second = stage.world.caller(Role.OPERATOR, "second", kind=Kind.HUMAN)


def _resolve(stage: Stage, person: Caller, key: str) -> None:
    stage.world.app.resolve_unknown(person, stage.known().id, Ending.FAILED, "the provider says so", key)


def _resolve_second(stage: Stage) -> None:
    _resolve(stage, stage.second, "resolve-second-1")


def _limit(stage: Stage) -> str:
    draft = limit_draft(CAP)
    return stage.world.app.change_limit.create(stage.world.operator, draft, "one-more-limit")[0].id


def _catch_up(stage: Stage) -> None:
    stage.world.app.catch_up(stage.world.environment)


def _read_inbox(stage: Stage) -> int:
    return stage.world.app.read_inbox(stage.world.environment)


def _decide(choice: Choice) -> Callable[[Stage], str]:
    def deed(stage: Stage) -> str:
        hold = stage.hold
        decided = stage.world.app.decide_hold(
            stage.approver, hold.id, choice, hold.digest, hold.version, None, "vote-once-1"
        )
        return decided.id

    return deed


def _cancel(stage: Stage) -> str:
    return stage.world.app.cancel_refund(stage.agent, stage.known().id, "cancel-it-1").request.id


def _ring(stage: Stage) -> int:
    return relay.run_once(stage.world.app)


def _tick(stage: Stage) -> None:
    cron.run_once(stage.world.app, sweep=True)


def _send(stage: Stage) -> None:
    """What a worker does, one call after the other."""
    dispatch = stage.world.app.dispatch_refund
    for claim in dispatch.claim(stage.world.environment, 1):
        dispatch.send(claim)


def _send_claimed(stage: Stage) -> None:
    stage.world.app.dispatch_refund.send(stage.claim)


def _tell(stage: Stage) -> None:
    """What a messenger does, one message after the other."""
    told = stage.world.app.messages
    told.tell()
    for claimed in told.deliver.claim(8):
        told.deliver.send(claimed)


def _drain(stage: Stage) -> int:
    return drain(stage.world.app, stage.known().id)


STORIES = {
    "admission": Story(_nothing, Stage.ask, State.SUCCEEDED, 1, by_people=True),
    "denial": Story(_no_room, Stage.ask, State.DENIED, 0, by_people=True),
    "approval": Story(_waits_for_approval, _decide(Choice.APPROVE), State.SUCCEEDED, 1, by_people=True),
    "rejection": Story(_waits_for_approval, _decide(Choice.REJECT), State.REJECTED, 0, by_people=True),
    "cancellation": Story(_asked, _cancel, State.CANCELED, 0, by_people=True),
    "wish": Story(_reply_lost, _cancel, State.SUCCEEDED, 1, by_people=True),
    "expiry": Story(_waited_too_long, _tick, State.EXPIRED, 0),
    "relay": Story(_asked, _ring, State.SUCCEEDED, 1),
    "job": Story(_rung, _drain, State.SUCCEEDED, 1),
    "dispatch": Story(_rung, _send, State.SUCCEEDED, 1),
    "doubt": Story(_loses_the_reply, _send, State.SUCCEEDED, 1),
    "refusal": Story(_little_left, _send, State.FAILED, 1, elsewhere=NEARLY_ALL),
    "closed gate": Story(_claimed_then_stopped, _send_claimed, State.SUCCEEDED, 1),
    "sweep": Story(_claimed, _tick, State.SUCCEEDED, 1),
    "replay": Story(_reply_lost, _drain, State.SUCCEEDED, 1),
    "webhook": Story(_told_by_webhook, Stage.deliver, State.SUCCEEDED, 1, by_people=True),
    "inbox": Story(_in_the_inbox, _read_inbox, State.SUCCEEDED, 1),
    "walk": Story(_refunded_elsewhere, _catch_up, State.SUCCEEDED, 2, elsewhere=ELSEWHERE),
    "resolution": Story(_said_by_one, _resolve_second, State.FAILED, 0, by_people=True),
    "telling": Story(_listened_to, _tell, State.SUCCEEDED, 1, told=TOLD),
    "limit": Story(_rung, _limit, State.SUCCEEDED, 1, by_people=True),
    "read": Story(_no_longer_wanted, _drain, State.SUCCEEDED, 1),
}
