"""Two different people end what nobody could know (RELIABILITY G10, G11)."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from governor.domain.canonical import digest
from governor.domain.credentials import Kind, Role
from governor.domain.errors import Conflict, Forbidden, Invalid, Unauthenticated
from governor.domain.lifecycle import State
from governor.domain.limits import Limit
from governor.domain.outcome import Alarm, Outcome, Reply
from governor.domain.payments import ProviderRefund
from governor.domain.resolutions import Ending
from governor.ports.provider import RefundOrder
from governor.usecases.callers import Caller
from tests.builders import World, fresh_key
from tests.fakes.provider import FakeProvider
from tests.made_keys import made
from tests.usecases.at_the_desk import FAILED, HOUR, SUCCEEDED, TIMEOUT, in_doubt, refused
from tests.usecases.at_the_desk import ann as ann
from tests.usecases.at_the_desk import bob as bob
from tests.usecases.at_the_desk import desk as desk
from tests.usecases.at_the_desk import limit as limit
from tests.usecases.at_the_desk import provider as provider

pytestmark = pytest.mark.usefixtures("limit")


@pytest.mark.parametrize(
    ("outcome", "state", "left"), [(SUCCEEDED, State.SUCCEEDED, 500), (FAILED, State.FAILED, 2000)]
)
def test_two_people_who_say_the_same_end_it(
    desk: World,
    provider: FakeProvider,
    limit: Limit,
    ann: Caller,
    bob: Caller,
    outcome: Ending,
    state: State,
    left: int,
) -> None:
    request = in_doubt(desk, provider)
    first = desk.resolve(ann, request, outcome, "the bank says so")
    assert (first.request.state, desk.headroom(limit)) == (State.UNKNOWN, 500), "one person moves nothing"
    assert (first.waiting and first.waiting.person) == "owner of ann"
    second = desk.resolve(bob, request, outcome, "seen the statement")
    now = desk.now(request)
    assert second.request == now
    assert (now.state, now.manual, second.waiting, desk.headroom(limit)) == (state, True, None, left)
    assert now.moved_minor == (1500 if outcome is SUCCEEDED else 0)
    pack = desk.app.unknown_desk.pack(desk.operator, request.id)
    told = next(s.entry for s in pack.trail if s.entry.action == "refund_request.resolved")
    assert (told.facts["person"], told.facts["reason_digest"]) == (
        "owner of bob",
        digest("seen the statement"),
    )
    assert (told.facts["first"]["person"], told.facts["first"]["reason_digest"]) == (
        "owner of ann",
        digest("the bank says so"),
    )
    assert [one.reason for one in pack.item.proposals] == ["the bank says so", "seen the statement"]


def test_nobody_resolves_alone_with_any_number_of_keys(
    desk: World, provider: FakeProvider, ann: Caller
) -> None:
    request = in_doubt(desk, provider)
    desk.resolve(ann, request, SUCCEEDED)
    other_key = desk.caller(Role.OPERATOR, "anns second key", kind=Kind.HUMAN, owner="owner of ann")
    assert refused(Conflict, desk, ann, request) == "second_person_needed"
    assert refused(Conflict, desk, other_key, request) == "second_person_needed"
    assert desk.now(request).state is State.UNKNOWN


def test_nobody_resolves_alone_with_a_key_made_in_another_name(
    desk: World, provider: FakeProvider, ann: Caller, bob: Caller
) -> None:
    """Whoever was shown the secret of a key is no second person to it, whoever of the two speaks first."""
    puppets = [made(desk, ann, Role.OPERATOR, name) for name in ("one", "two")]
    request = in_doubt(desk, provider)
    desk.resolve(puppets[0], request, SUCCEEDED)
    for one in (puppets[1], ann):
        assert refused(Conflict, desk, one, request) == "second_person_needed"
    assert desk.now(request).state is State.UNKNOWN
    assert desk.resolve(bob, request, SUCCEEDED).request.state is State.SUCCEEDED


def test_one_may_change_ones_mind_and_that_completes_nothing(
    desk: World, provider: FakeProvider, ann: Caller, bob: Caller
) -> None:
    request = in_doubt(desk, provider)
    desk.resolve(ann, request, FAILED)
    changed = desk.resolve(ann, request, SUCCEEDED)
    assert (changed.request.state, changed.waiting and changed.waiting.outcome) == (State.UNKNOWN, SUCCEEDED)
    assert desk.resolve(bob, request, SUCCEEDED).request.state is State.SUCCEEDED


def test_two_who_disagree_resolve_nothing_and_the_second_is_told_what_is_proposed(
    desk: World, provider: FakeProvider, limit: Limit, ann: Caller, bob: Caller
) -> None:
    """RELIABILITY G10."""
    request = in_doubt(desk, provider)
    desk.resolve(ann, request, SUCCEEDED)
    with pytest.raises(Conflict) as error:
        desk.resolve(bob, request, FAILED)
    assert error.value.code == "resolution_conflict"
    assert error.value.extra["proposal"] == {"outcome": "succeeded", "person": "owner of ann"}
    assert (desk.now(request).state, desk.headroom(limit)) == (State.UNKNOWN, 500)


def test_whoever_asked_for_it_does_not_resolve_it_with_any_key(desk: World, provider: FakeProvider) -> None:
    """Invariant 14."""
    request = in_doubt(desk, provider)
    herself = desk.caller(Role.OPERATOR, "olga", kind=Kind.HUMAN, owner="olga")
    assert refused(Forbidden, desk, herself, request) == "self_resolution"


def test_a_program_does_not_count_as_a_person(desk: World, provider: FakeProvider) -> None:
    request = in_doubt(desk, provider)
    robot = desk.caller(Role.OPERATOR, "robot", kind=Kind.PROGRAM)
    assert refused(Forbidden, desk, robot, request) == "resolution_needs_human"


def test_only_what_is_in_doubt_is_for_people_to_say(desk: World, ann: Caller) -> None:
    done = desk.request(desk.caller(), desk.payment(5000), 100)
    desk.drain(done)
    assert refused(Conflict, desk, ann, done) == "not_unknown"


def test_what_only_a_mangled_reply_has_shown_is_for_people_to_say(
    desk: World, provider: FakeProvider, limit: Limit, ann: Caller, bob: Caller
) -> None:
    """RELIABILITY E14, F10: the full hold is kept until it is explained."""
    payment = desk.payment(5000)
    mangled = ProviderRefund("re_nowhere", payment, 9900, "usd", "succeeded", None)
    alarm = Alarm.INCONSISTENT_REPLY
    provider.answer_next(Reply(Outcome.UNKNOWN, "inconsistent_reply", 200, refund=mangled, alarm=alarm))
    request = desk.request(desk.caller(), payment, 1500)
    desk.drain(request)
    desk.app.recover_refund.look_now(desk.now(request))
    assert (desk.now(request).state, desk.headroom(limit)) == (State.UNKNOWN, 500), "no read finds it"
    for person in (ann, bob):
        desk.resolve(person, request, FAILED)
    assert (desk.now(request).state, desk.headroom(limit)) == (State.FAILED, 2000)


def test_a_replay_in_flight_is_not_talked_over(desk: World, provider: FakeProvider, ann: Caller) -> None:
    """RELIABILITY G11: refused while the call is under way; what the replay brings still counts."""
    request = in_doubt(desk, provider)
    heard: list[str] = []

    def resolve_meanwhile(_order: RefundOrder) -> None:
        heard.append(refused(Conflict, desk, ann, request))

    provider.before_call = resolve_meanwhile
    desk.advance(60)
    desk.app.recover_refund(desk.environment)
    assert (heard, desk.now(request).state) == (["not_unknown"], State.SUCCEEDED)


def test_a_proposal_lapses_when_the_request_is_sent_again(
    desk: World, provider: FakeProvider, ann: Caller, bob: Caller
) -> None:
    request = in_doubt(desk, provider)
    desk.resolve(ann, request, FAILED)
    provider.answer_next(TIMEOUT)
    desk.advance(60)
    desk.app.recover_refund(desk.environment)
    again = desk.resolve(bob, request, FAILED)
    assert (again.request.attempts, again.request.state) == (2, State.UNKNOWN), "ann spoke of one attempt"
    assert again.waiting is not None
    assert again.waiting.person == "owner of bob"


def test_a_proposal_dies_with_its_key(desk: World, provider: FakeProvider, ann: Caller, bob: Caller) -> None:
    request = in_doubt(desk, provider)
    desk.resolve(ann, request, FAILED)
    desk.app.manage_credentials.revoke(desk.operator, ann.credential.id)
    assert desk.resolve(bob, request, FAILED).request.state is State.UNKNOWN
    with pytest.raises(Unauthenticated):
        desk.resolve(ann, request, FAILED)


def test_a_repeated_key_says_it_once(desk: World, provider: FakeProvider, ann: Caller) -> None:
    request, key = in_doubt(desk, provider), fresh_key("resolution")
    said = (ann, request.id, FAILED, "nothing on the statement", key)
    first, again = desk.app.resolve_unknown(*said), desk.app.resolve_unknown(*said)
    assert (first.replayed, again.replayed, again.waiting) == (False, True, first.waiting)
    assert len(desk.app.unknown_desk.pack(ann, request.id).item.proposals) == 1
    with pytest.raises(Invalid) as reused:
        desk.app.resolve_unknown(ann, request.id, SUCCEEDED, "another reason", key)
    assert reused.value.code == "idempotency_key_reused"


def test_a_young_key_is_warned_of_and_an_old_one_is_not(
    desk: World, provider: FakeProvider, ann: Caller, bob: Caller
) -> None:
    request = in_doubt(desk, provider)
    assert desk.resolve(ann, request, FAILED).may_still_execute
    desk.advance(20 * HOUR)
    assert not desk.resolve(bob, request, FAILED).may_still_execute


def test_of_many_who_speak_at_once_two_end_it(desk: World, provider: FakeProvider, limit: Limit) -> None:
    request = in_doubt(desk, provider)
    people = [desk.caller(Role.OPERATOR, f"operator {n}", kind=Kind.HUMAN) for n in range(6)]

    def say(person: Caller) -> str:
        try:
            return desk.resolve(person, request, FAILED).request.state
        except Conflict as conflict:
            return conflict.code

    with ThreadPoolExecutor(len(people)) as pool:
        said = sorted(pool.map(say, people))
    assert said == sorted(["unknown", "failed", *["not_unknown"] * 4])
    assert desk.headroom(limit) == 2000
