"""The lives in which processes die: how each begins, what the one that dies was doing, and how it must end.

The end is the one it has without a crash: a crash may cost time, and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from governor.domain.approval import Ballot, Choice
from governor.domain.lifecycle import State
from tests.builders import limit_draft
from tests.crashes import beginnings as begin
from tests.crashes.beginnings import ELSEWHERE, NEARLY_ALL, TOLD
from tests.crashes.stage import CAP, Stage
from workers import cron, relay
from workers.drain import drain

LESS = 600
"""What an approver allows of the 1500 that are asked for."""


@dataclass(frozen=True)
class Story:
    """How it begins, what is under way, and how it ends.

    `by_people`: whoever gets no answer asks again, under the same key. `executed`: refunds at the provider;
    `elsewhere`: how much of them somebody made past governor; `moves`: how much the request itself moves when it does.
    `told`: the types of messages that whoever listens gets.
    """

    prepare: Callable[[Stage], None]
    deed: Callable[[Stage], Any]
    end: State
    executed: int
    by_people: bool = False
    elsewhere: int = 0
    told: tuple[str, ...] = ()
    moves: int = 1500


def _resolve_second(stage: Stage) -> None:
    begin.resolve(stage, stage.second, "resolve-second-1")


def _limit(stage: Stage) -> str:
    draft = limit_draft(CAP)
    return stage.world.app.change_limit.create(stage.world.operator, draft, "one-more-limit")[0].id


def _confirm_raise(stage: Stage) -> int:
    """The second person's word; however often it is said, it counts once."""
    world, limit = stage.world, stage.limit.id
    (change,) = world.app.limit_history.changes(world.operator, limit)[:1]
    confirm = world.app.confirm_limit_change.confirm
    raised, _ = confirm(stage.second, limit, change.change.id, "seen", "confirm-once-1")
    return raised.cap


def _catch_up(stage: Stage) -> None:
    stage.world.app.catch_up(stage.world.environment)


def _read_inbox(stage: Stage) -> int:
    return stage.world.app.read_inbox(stage.world.environment)


def _decide(choice: Choice, amount: int | None = None) -> Callable[[Stage], str]:
    def deed(stage: Stage) -> str:
        hold = stage.hold
        ballot = Ballot(choice, hold.digest, hold.version, "looked at it", amount)
        return stage.world.app.decide_hold(stage.approver, hold.id, ballot, "vote-once-1").id

    return deed


def _take_back(stage: Stage) -> str:
    return stage.world.app.decide_hold.take_back(stage.approver, stage.hold.id, "think-again-1").id


def _return_and_answer(stage: Stage) -> str:
    """An approver asks, the client answers, and the approver who asked is content."""
    app, hold = stage.world.app, stage.hold
    question = Ballot(Choice.RETURN, hold.digest, hold.version, "which box?")
    request = app.decide_hold(stage.approver, hold.id, question, "question-1")
    if request.state is State.PENDING_APPROVAL:
        app.answer_question(stage.agent, request.id, "the red one", "answer-1")
        now, _ = app.queries.hold(stage.approver, hold.id)
        yes = Ballot(Choice.APPROVE, now.digest, now.version)
        request = app.decide_hold(stage.approver, hold.id, yes, "vote-once-1")
    return request.id


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
    "admission": Story(begin.nothing, Stage.ask, State.SUCCEEDED, 1, by_people=True),
    "denial": Story(begin.no_room, Stage.ask, State.DENIED, 0, by_people=True),
    "approval": Story(begin.waits_for_approval, _decide(Choice.APPROVE), State.SUCCEEDED, 1, by_people=True),
    "late approval": Story(begin.waited_long, _decide(Choice.APPROVE), State.SUCCEEDED, 1, by_people=True),
    "less": Story(
        begin.waits_for_approval,
        _decide(Choice.APPROVE_LESS, LESS),
        State.SUCCEEDED,
        1,
        by_people=True,
        moves=LESS,
    ),
    "question": Story(begin.waits_for_approval, _return_and_answer, State.SUCCEEDED, 1, by_people=True),
    "rejection": Story(begin.waits_for_approval, _decide(Choice.REJECT), State.REJECTED, 0, by_people=True),
    "second thoughts": Story(begin.approved, _take_back, State.EXPIRED, 0, by_people=True),
    "cancellation": Story(begin.asked, _cancel, State.CANCELED, 0, by_people=True),
    "wish": Story(begin.reply_lost, _cancel, State.SUCCEEDED, 1, by_people=True),
    "expiry": Story(begin.waited_too_long, _tick, State.EXPIRED, 0),
    "notice": Story(begin.time_runs_out, _tick, State.EXPIRED, 0),
    "relay": Story(begin.asked, _ring, State.SUCCEEDED, 1),
    "job": Story(begin.rung, _drain, State.SUCCEEDED, 1),
    "dispatch": Story(begin.rung, _send, State.SUCCEEDED, 1),
    "doubt": Story(begin.loses_the_reply, _send, State.SUCCEEDED, 1),
    "refusal": Story(begin.little_left, _send, State.FAILED, 1, elsewhere=NEARLY_ALL),
    "closed gate": Story(begin.claimed_then_stopped, _send_claimed, State.SUCCEEDED, 1),
    "sweep": Story(begin.claimed, _tick, State.SUCCEEDED, 1),
    "replay": Story(begin.reply_lost, _drain, State.SUCCEEDED, 1),
    "webhook": Story(begin.told_by_webhook, Stage.deliver, State.SUCCEEDED, 1, by_people=True),
    "inbox": Story(begin.in_the_inbox, _read_inbox, State.SUCCEEDED, 1),
    "walk": Story(begin.refunded_elsewhere, _catch_up, State.SUCCEEDED, 2, elsewhere=ELSEWHERE),
    "resolution": Story(begin.said_by_one, _resolve_second, State.FAILED, 0, by_people=True),
    "telling": Story(begin.listened_to, _tell, State.SUCCEEDED, 1, told=TOLD),
    "limit": Story(begin.rung, _limit, State.SUCCEEDED, 1, by_people=True),
    "confirmation": Story(begin.raise_proposed, _confirm_raise, State.SUCCEEDED, 1, by_people=True),
    "read": Story(begin.no_longer_wanted, _drain, State.SUCCEEDED, 1),
}
