from concurrent.futures import ThreadPoolExecutor
from functools import partial

import psycopg
import pytest

from governor.domain.approval import Choice
from governor.domain.errors import Conflict, GovernorError, Invalid, NotFound, Unavailable
from governor.domain.lifecycle import State
from tests.builders import World, ask, fresh_key
from tests.races.at_once import at_once
from tests.servers import libpq
from tests.stack import eventually
from tests.twin import UNTIL_FORGOTTEN, Twin


def test_a_denial_is_replayed_with_its_sums_whatever_happened_meanwhile(world: World) -> None:
    """RELIABILITY A23: room has come since, and the key still names the denial."""
    limit = world.limit(2000)
    agent, key = world.caller(), fresh_key()
    asked = ask(world.payment(5000), 1500)
    world.request(agent, world.payment(5000), 1500)
    denied = world.answer(agent, asked, key)
    assert denied.request.state is State.DENIED
    world.change_cap(limit, 100_000)
    again = world.answer(agent, asked, key)
    assert again.replayed
    assert again.request == denied.request
    assert again.request.limits[0]["headroom"] == 500
    assert world.answer(agent, asked).request.state is State.QUEUED, "a new key is a new decision"


def test_an_admission_is_replayed_as_it_stands_now(world: World) -> None:
    """Case 12: an agent's task is run again from its start after a crash, and asks for the same thing."""
    world.limit(2000)
    agent, key, asked = world.caller(), fresh_key(), ask(world.payment(5000), 1500)
    first = world.answer(agent, asked, key)
    world.drain(first.request)
    again = world.answer(agent, asked, key)
    assert (again.replayed, again.request.id, again.request.state) == (
        True,
        first.request.id,
        State.SUCCEEDED,
    )
    assert world.drain(first.request) == 0
    assert len(world.writes()) == 1


def test_a_rejected_request_is_replayed_as_rejected(world: World) -> None:
    """Case 25: reserve, lose the answer, ask again, then reject: nothing stays held."""
    limit = world.limit(2000, approval_above=0)
    agent, key, asked = world.caller(), fresh_key(), ask(world.payment(5000), 1500)
    world.answer(agent, asked, key)
    again = world.answer(agent, asked, key)
    assert world.headroom(limit) == 500
    world.decide(world.approver(), again.request, Choice.REJECT)
    assert world.answer(agent, asked, key).request.state is State.REJECTED
    assert world.headroom(limit) == 2000


@pytest.mark.parametrize(
    "other",
    [{"amount": 1501}, {"case": "ZD-2"}, {"note": "another"}, {"amount": None}, {"reason": "duplicate"}],
)
def test_one_key_never_names_two_intents(world: World, other: dict[str, object]) -> None:
    world.limit(2000)
    agent, key, payment = world.caller(), fresh_key(), world.payment(5000)
    world.answer(agent, ask(payment, 1500), key)
    changed = vars(ask(payment, 1500)) | {"amount_minor": 1500} | _as_fields(other)
    with pytest.raises(Invalid) as reused:
        world.answer(agent, type(ask(payment, 1))(**changed), key)
    assert reused.value.code == "idempotency_key_reused"


def _as_fields(other: dict[str, object]) -> dict[str, object]:
    return {"amount_minor" if name == "amount" else name: value for name, value in other.items()}


def test_two_credentials_with_one_key_mean_one_intent(world: World) -> None:
    world.limit(2000)
    key, asked = fresh_key(), ask(world.payment(5000), 700)
    first = world.answer(world.caller(name="agent-a"), asked, key)
    second = world.answer(world.caller(name="agent-b"), asked, key)
    assert (second.replayed, second.request) == (True, first.request)


def test_a_key_whose_first_request_still_runs_is_in_flight(world: World, twin: Twin) -> None:
    """RELIABILITY A29: 409 while the first still reads the provider, whatever the second one asks."""
    world.limit(2000)
    agent, key, payment = world.caller(), fresh_key(), world.payment(5000)
    twin.fault("delay_before", delay_ms=UNTIL_FORGOTTEN, method="GET", path=f"/v1/payment_intents/{payment}")
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(world.answer, agent, ask(payment, 700), key)
        eventually(lambda: any(payment in call["path"] for call in twin.calls()))
        for amount in (700, 701):
            with pytest.raises(Conflict) as running:
                world.answer(agent, ask(payment, amount), key)
            assert running.value.code == "idempotency_in_flight"
        twin.forget_faults()
        assert first.result().request.state is State.QUEUED
    assert world.answer(agent, ask(payment, 700), key).replayed


@pytest.mark.parametrize(
    ("fault", "error", "code"),
    [("error_503", Unavailable, "payment_facts_unavailable"), (None, NotFound, "payment_not_found")],
)
def test_what_was_not_decided_leaves_the_key_free(
    world: World, twin: Twin, fault: str | None, error: type[GovernorError], code: str
) -> None:
    """RELIABILITY A4: the provider could not be read; the same key decides later."""
    world.limit(2000)
    agent, key, payment = world.caller(), fresh_key(), world.payment(5000)
    if fault:
        twin.fault(fault, times=10, method="GET")
    with pytest.raises(error) as refused:
        world.answer(agent, ask(payment if fault else "pi_sandbox_nobody", 700), key)
    assert refused.value.code == code
    twin.forget_faults()
    assert world.answer(agent, ask(payment, 700), key).request.state is State.QUEUED


BREAK_DENIALS = """
    CREATE FUNCTION break_denials() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'out of space' USING ERRCODE = 'disk_full'; END $$;
    CREATE TRIGGER broken BEFORE INSERT ON {table} FOR EACH ROW {when} EXECUTE FUNCTION break_denials();"""


@pytest.mark.parametrize(
    ("table", "when"),
    [("refund_requests", "WHEN (NEW.state = 'denied')"), ("audit", "WHEN (NEW.action LIKE '%denied')")],
)
def test_a_denial_that_could_not_be_recorded_was_no_denial(world: World, table: str, when: str) -> None:
    """RELIABILITY A22, case 19: the disk is full while a denial is written; the caller hears exactly that."""
    limit = world.limit(2000)
    agent, key, asked = world.caller(), fresh_key(), ask(world.payment(5000), 2001)
    with psycopg.connect(libpq(world.database_url), autocommit=True) as session:
        session.execute(BREAK_DENIALS.format(table=table, when=when).encode())
        with pytest.raises(Unavailable) as unrecorded:
            world.answer(agent, asked, key)
        assert unrecorded.value.code == "decision_not_recorded"
        session.execute(f"DROP TRIGGER broken ON {table}".encode())
    world.change_cap(limit, 3000)
    real = world.answer(agent, asked, key)
    assert (real.replayed, real.request.state) == (False, State.QUEUED)


def test_a_poisoned_request_does_not_fail_those_who_wait_with_it(world: World) -> None:
    """RELIABILITY A25: decided together, recorded apart when one of them cannot be recorded."""
    world.limit(10**6)
    agent = world.caller()
    payments = [world.payment(5000) for _ in range(12)]
    with psycopg.connect(libpq(world.database_url), autocommit=True) as session:
        session.execute(b"ALTER TABLE refund_requests ADD CONSTRAINT poison CHECK (note <> 'poison')")

    def ask_for(number: int) -> str:
        try:
            note = "poison" if number == 5 else "fine"
            return world.request(agent, payments[number], 100, note=note).state.value
        except GovernorError as error:
            return error.code

    answers = at_once([partial(ask_for, number) for number in range(12)])
    assert answers[5] == "constraint_violated"
    assert set(answers[:5] + answers[6:]) == {"queued"}


def test_a_database_that_does_not_answer_decides_nothing(world: World) -> None:
    """Case 19: the line of the environment is held by somebody who never lets go."""
    world.limit(2000)
    agent, key, asked = world.caller(), fresh_key(), ask(world.payment(5000), 700)
    with psycopg.connect(libpq(world.database_url)) as session:
        session.execute("SELECT 1 FROM environments FOR UPDATE")
        with pytest.raises(Unavailable) as waiting:
            world.answer(agent, asked, key)
        assert waiting.value.code == "decision_not_recorded"
    assert world.answer(agent, asked, key).request.state is State.QUEUED
