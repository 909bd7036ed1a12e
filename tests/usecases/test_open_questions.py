"""What waits for a requester's own answer."""

from governor.domain.approval import Choice
from tests.builders import World, fresh_key


def test_questions_are_those_that_wait_for_this_requester_newest_first(world: World) -> None:
    """Not those that were answered, that another key has to answer, or that ended meanwhile."""
    world.limit(100_000, approval_above=100)
    agent, other, ben = world.caller(), world.caller(name="another key"), world.approver()
    mine = [world.request(agent, world.payment(5000), 1500) for _ in range(5)]
    theirs = world.request(other, world.payment(5000), 1500)
    for one in (*mine[1:], theirs):
        world.decide(ben, one, Choice.RETURN)
    world.app.answer_question(agent, mine[3].id, "the red one", fresh_key("answer"))
    world.app.cancel_refund(agent, mine[4].id, fresh_key("cancel"))
    queries = world.app.queries
    assert [one.id for one in queries.questions(agent, at_most=9)] == [mine[2].id, mine[1].id]
    assert [one.id for one in queries.questions(agent, at_most=1)] == [mine[2].id]
    assert [one.id for one in queries.questions(other, at_most=9)] == [theirs.id]
