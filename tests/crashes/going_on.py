"""What happens after a crash, and how the end is judged."""

from __future__ import annotations

from governor.domain.lifecycle import State
from tests.crashes.stage import Stage
from tests.crashes.stories import Story


def goes_on(stage: Stage, story: Story) -> None:
    """After a crash: whoever got no answer asks again, everybody alive does what they do, and the end is judged."""
    before = stage.request()
    stage.let_writes_go_on()
    if story.by_people:
        _repeat(stage, story, recorded=before is not None)
    stage.live_on(lambda: stage.state() is story.end and stage.used() == _taken(story) and _all_told(stage))
    if before is not None:
        assert stage.known().id == before.id, "the same key named another request"


def _all_told(stage: Stage) -> bool:
    """Whether whoever listens has got every message there is."""
    health = stage.world.app.messages.see.all(stage.world.operator)
    return not any(one.waiting or one.given_up for one in health)


def judge_end(stage: Stage, story: Story) -> None:
    """What left is what was asked for, once; what it takes of the limit is what left; and every book agrees."""
    stage.judge(story.executed)
    assert stage.used() == _taken(story)
    _judge_what_was_told(stage, story)


def _judge_what_was_told(stage: Stage, story: Story) -> None:
    """Every message was taken; what was carried twice had one id both times (RELIABILITY K4)."""
    told = {call.headers["webhook-id"]: call.json["type"] for call in stage.receiver.calls}
    bodies = {(call.headers["webhook-id"], call.body) for call in stage.receiver.calls}
    assert len(bodies) == len(told), "one id, two messages"
    assert sorted(told.values()) == sorted(story.told)


def _taken(story: Story) -> int:
    """What the story takes of the limit, once everything is known."""
    return story.elsewhere + (story.moves if story.end is State.SUCCEEDED else 0)


def _repeat(stage: Stage, story: Story, *, recorded: bool) -> None:
    answer = story.deed(stage)
    if story.deed is Stage.deliver:
        assert answer == 200
    if story.deed is not Stage.ask:
        return
    if answer[2] == "idempotency_in_flight":
        assert not recorded
        stage.marks_run_out()
        answer = story.deed(stage)
    status, replayed, request_id = answer
    assert (status, request_id) == (403 if story.end is State.DENIED else 202, stage.known().id)
    assert replayed == recorded, "a decision that was recorded is replayed, and no other"
