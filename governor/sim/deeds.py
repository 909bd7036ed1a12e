"""What people and programs do. Each deed is what one process does from beginning to end, unless it dies on the way."""

from __future__ import annotations

from governor.domain.admission import Ask
from governor.domain.approval import Ballot, Choice
from governor.domain.errors import GovernorError
from governor.domain.hold_versions import open_question
from governor.domain.lifecycle import UNRESOLVED_STATES, State
from governor.ports.inbox import Received
from governor.sim.stage import Violation, Work
from governor.sim.world import AMOUNTS, CASES, ENVIRONMENT, World
from governor.usecases.callers import Caller
from governor.usecases.dispatch_refund import Claim
from governor.usecases.holds import hold_of
from governor.usecases.replay import Answer
from governor.usecases.request_refund import BatchLine

CLAIMS_AT_ONCE = 4
LATELY = 8
"""How far back webhooks reach; what is older comes by the lists only."""
AGAIN = 0.25
"""How often a client sends a key once more, as after an answer that it did not hear."""


def ask(world: World) -> Work:
    """Somebody requests a refund, or repeats a request under the same key."""
    caller, asked, key = _intent(world)

    def work() -> str:
        answer = world.process().request_refund(caller, asked, key, None)
        return _heard(world, key, answer)

    return work


def ask_for_many(world: World) -> Work:
    """Somebody requests several refunds in one batch, each under its own key."""
    caller, asked, key = _intent(world)
    lines = [BatchLine(key, asked, None)]
    for _ in range(world.random.randint(1, 3)):
        other = f"operation-{len(world.asked):08d}"
        world.asked[other] = caller, _ask(world)
        lines.append(BatchLine(other, world.asked[other][1], None))

    def work() -> str:
        answers = world.process().request_refund.batch(caller, lines)
        return ", ".join(
            answer.code if isinstance(answer, GovernorError) else _heard(world, line.key, answer)
            for line, answer in zip(lines, answers, strict=True)
        )

    return work


def _intent(world: World) -> tuple[Caller, Ask, str]:
    if world.asked and (len(world.asked) >= world.crowd or world.random.random() < AGAIN):
        key = world.random.choice(list(world.asked))
        return (*world.asked[key], key)
    key = f"operation-{len(world.asked):08d}"
    world.asked[key] = world.random.choice(world.agents), _ask(world)
    return (*world.asked[key], key)


def _ask(world: World) -> Ask:
    draw = world.random
    amount = draw.choice((*AMOUNTS, None))
    return Ask(draw.choice(world.payments), amount, "usd", None, draw.choice(CASES), None, None)


def _heard(world: World, key: str, answer: Answer) -> str:
    """Invariant 4: a key is told to be the same request, whoever asks how often."""
    world.stage.stop("answer")
    told = world.answered.setdefault(key, answer.request.id)
    if told != answer.request.id:
        raise Violation("another_decision", f"{key} was {told} and is {answer.request.id}")
    return f"{answer.request.id} {answer.request.state}"


def decide(world: World) -> Work | None:
    """An approver looks at a hold, and says something about what it showed."""
    waiting = [one for one in world.store.tables.requests.values() if one.state is State.PENDING_APPROVAL]
    if not waiting:
        return None
    request = world.random.choice(waiting)
    approver = world.random.choice(world.approvers)
    choice = world.random.choices(tuple(Choice), (12, 3, 2, 3))[0]
    less = max(1, request.amount_minor - 1) if choice is Choice.APPROVE_LESS else None
    key = world.new_key("vote")

    def work() -> str:
        here = world.process()
        with here.store.reading() as reads:
            shown = hold_of(reads, reads.request(ENVIRONMENT, request.id) or request)
        after = here.decide_hold(
            approver, shown.id, Ballot(choice, shown.digest, shown.version, "looked", less), key
        )
        return f"{choice} {after.id} {after.state}"

    return work


def take_back(world: World) -> Work | None:
    """An approver thinks again about what was approved, whoever has approved it."""
    queued = [one for one in world.store.tables.requests.values() if one.quorum and one.state is State.QUEUED]
    if not queued:
        return None
    request, approver = world.random.choice(queued), world.random.choice(world.approvers)
    key = world.new_key("take-back")

    def work() -> str:
        after = world.process().decide_hold.take_back(approver, request.hold or "", key)
        return f"taken back {after.id} {after.state}"

    return work


def answer(world: World) -> Work | None:
    """Whoever asked for a refund answers what an approver wanted to know."""
    asked = [one for one in world.store.tables.requests.values() if open_question(one) is not None]
    if not asked:
        return None
    request, key = world.random.choice(asked), world.new_key("answer")
    agent = next((one for one in world.agents if one.credential.id == request.requested_by), world.agents[0])

    def work() -> str:
        told = world.process().answer_question(agent, request.id, "because it was broken", key)
        return f"answered {told.request.id} {told.request.hold_version}"

    return work


def cancel(world: World) -> Work | None:
    """Somebody does not want a refund any more, wherever it is by now."""
    requests = list(world.store.tables.requests.values())
    if not requests:
        return None
    doubtful = [one for one in requests if one.state in UNRESOLVED_STATES]
    request = world.random.choice(doubtful if doubtful and world.random.random() < 0.5 else requests)
    key = world.new_key("cancel")

    def work() -> str:
        answer = world.process().cancel_refund(world.operator, request.id, key)
        return f"cancel {answer.request.id} {answer.request.state}"

    return work


def drain(world: World) -> Work | None:
    """A worker takes a job from the queue, as workers/drain.py does; each of its calls is a life of its own."""
    if not world.doorbell.jobs:
        return None
    job = world.doorbell.jobs.pop(world.random.randrange(len(world.doorbell.jobs)))

    def work() -> str:
        here = world.process()
        environment = here.dispatch_refund.environment_of(job) or ""
        claims = here.dispatch_refund.claim(environment, CLAIMS_AT_ONCE)
        for claim in claims:
            world.stage.enter("call", _send(world, claim))
        looked = here.recover_refund(environment) if here.recover_refund.due(environment) else 0
        return f"claimed {len(claims)}, looked at {looked}"

    return work


def _send(world: World, claim: Claim) -> Work:
    """One call of a worker."""

    def work() -> str:
        request = world.process().dispatch_refund.send(claim)
        return f"{request.id} {request.state}"

    return work


def read_inbox(world: World) -> Work:
    """A worker looks where the events in the inbox point."""
    return lambda: f"read {world.process().read_inbox(ENVIRONMENT)} events"


def catch_up(world: World) -> Work:
    """The provider's lists are walked, for what no webhook told."""
    return lambda: str(world.process().catch_up.due(ENVIRONMENT))


def catch_up_now(world: World) -> Work:
    """The same, due or not."""
    return lambda: str(world.process().catch_up(ENVIRONMENT))


def webhook(world: World) -> Work | None:
    """The provider tells of something: what happened lately, in any order, and perhaps again."""
    if world.random.random() < world.swarm.webhook_lost:
        return None
    event = world.random.choice(world.provider.events[-LATELY:])
    return lambda: f"{event.type}: {world.stepped_inbox.keep(ENVIRONMENT, [Received.of(event)])} new"


def relay(world: World) -> Work:
    """The relay rings for what the database has queued."""
    return lambda: f"rang for {world.outbox.ring_due(world.doorbell.ring)}"


def cron(world: World) -> Work:
    """Periodic work: what time has decided, and a sweep for bells that were lost."""

    def work() -> str:
        here = world.process()
        expired = here.expire_holds(ENVIRONMENT) if here.expire_holds.due(ENVIRONMENT) else 0
        lost = here.recover_leases(ENVIRONMENT) if here.recover_leases.due(ENVIRONMENT) else 0
        swept = world.outbox.ring_overdue(world.doorbell.ring)
        return f"expired {expired}, lost {lost}, swept {swept}"

    return work
