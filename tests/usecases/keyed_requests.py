"""Verbs with a key about refund requests and their holds, each said once, and what its key names."""

from dataclasses import dataclass
from typing import Any

from governor.domain.approval import Ballot, Choice
from governor.domain.limits import Limit, Scope
from governor.domain.outcome import Outcome, Reply
from governor.domain.requests import RefundRequest
from governor.domain.resolutions import Ending
from governor.usecases.callers import Caller
from tests.builders import World
from tests.fakes.provider import FakeProvider
from tests.usecases.limit_sayings import history, two_people

KEY = "the-same-key"

Named = tuple[str, dict[str, Any]]
"""The scope of a key, and what it names."""


@dataclass
class Stage:
    """A world in which every verb can be said once."""

    world: World
    operator: Caller
    agent: Caller
    approver: Caller

    def held(self) -> RefundRequest:
        return self.world.request(self.agent, self.world.payment(), 1500)

    def in_doubt(self) -> RefundRequest:
        assert isinstance(self.world.provider, FakeProvider)
        request = self.world.request(self.agent, self.world.payment(), 100)
        self.world.provider.answer_next(Reply(Outcome.UNKNOWN, "read_timeout"))
        self.world.drain(request)
        return request

    def raised(self) -> tuple[Limit, str]:
        """A limit, and a raise of it that waits for a second person."""
        limit = self.world.limit(5000, scope=Scope.AGENT, value="somebody")
        two_people(self.world)
        self.world.change_cap(limit, 6000)
        return limit, history(self.world, limit)[-1].id


def cancel(on: Stage) -> Named:
    request = on.held()
    on.world.app.cancel_refund(on.agent, request.id, KEY)
    return f"cancel:{on.agent.credential.id}", {"cancel": request.id}


def nudge(on: Stage) -> Named:
    request = on.held()
    on.world.app.nudge_approvers(on.agent, request.id, KEY)
    return f"nudge:{on.agent.credential.id}", {"nudge": request.id}


def answer(on: Stage) -> Named:
    request = on.held()
    on.world.decide(on.approver, request, Choice.RETURN)
    on.world.app.answer_question(on.agent, request.id, "the red one", KEY)
    return f"answer:{on.agent.credential.id}", {"answer": request.id, "text": "the red one"}


def decision(on: Stage) -> Named:
    hold, _ = on.world.app.queries.hold(on.approver, on.held().hold or "")
    ballot = Ballot(Choice.APPROVE_LESS, hold.digest, hold.version, "looked", 700, typed_minor=700)
    on.world.app.decide_hold(on.approver, hold.id, ballot, KEY)
    said = {"choice": "approve_less", "digest": hold.digest, "version": 1, "reason": "looked"}
    return f"decision:{on.approver.credential.id}", {"hold": hold.id, **said, "amount_minor": 700}


def take_back(on: Stage) -> Named:
    request = on.held()
    on.world.decide(on.approver, request, Choice.APPROVE)
    on.world.app.decide_hold.take_back(on.approver, request.hold or "", KEY)
    return f"take_back:{on.approver.credential.id}", {"hold": request.hold}


def escalation(on: Stage) -> Named:
    hold = on.held().hold or ""
    on.world.app.approval_desk.attention.escalate(on.approver, hold, None, "too large for me", KEY)
    said = {"hold": hold, "to": None, "reason": "too large for me"}
    return f"escalation:{on.approver.credential.id}", said


def resolution(on: Stage) -> Named:
    request = on.in_doubt()
    on.world.app.resolve_unknown(on.operator, request.id, Ending.FAILED, "the bank says so", KEY)
    said = {"resolve": request.id, "outcome": "failed", "reason": "the bank says so"}
    return f"resolution:{on.operator.credential.id}", said
