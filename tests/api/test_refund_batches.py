import pytest

from tests.api.people import People
from tests.builders import World, fresh_key

PATH = "/refund-batches"


@pytest.fixture(scope="module", autouse=True)
def _limits(world: World) -> None:
    world.limit(1_000_000)


def line(world: World, amount: object = 100, **fields: object) -> dict[str, object]:
    return {
        "operation_key": fresh_key(),
        "payment": world.payment(5000),
        "amount": amount,
        "currency": "usd",
        **fields,
    }


def test_a_batch_that_is_admitted_whole_is_202_with_every_request(people: People, world: World) -> None:
    lines = [line(world, 100 + n) for n in range(3)]
    got = people.agent.post(PATH, {"lines": lines})
    assert (got.status, [one["status"] for one in got.json["data"]]) == (202, [202, 202, 202])
    made = [one["refund_request"] for one in got.json["data"]]
    assert [one["operation_key"] for one in made] == [one["operation_key"] for one in lines]
    assert people.agent.get(f"/refund-requests/{made[2]['id']}").json["amount"] == 102


def test_each_line_has_the_answer_that_its_own_request_would_have(people: People, world: World) -> None:
    good, twice = line(world), line(world)
    wrong: dict[str, tuple[dict[str, object], int, str]] = {
        "float": (line(world, 1.5), 422, "validation_failed"),
        "misspelt": (line(world, amuont=1), 422, "validation_failed"),
        "no key": ({k: v for k, v in line(world).items() if k != "operation_key"}, 422, "validation_failed"),
        "short key": (line(world, operation_key="short"), 422, "validation_failed"),
        "too much": (line(world, 5001), 403, "amount_exceeds_refundable"),
        "unknown": (line(world, payment="pi_nobody"), 404, "payment_not_found"),
        "other intent": ({**twice, "amount": 99}, 422, "idempotency_key_reused"),
    }
    lines = [good, twice, twice, *(one for one, _, _ in wrong.values())]
    got = people.agent.post(PATH, {"lines": lines})
    assert got.status == 207
    answers = got.json["data"]
    assert [one["status"] for one in answers[:3]] == [202, 202, 202]
    assert [one["replayed"] for one in answers[:3]] == [False, False, True]
    assert answers[1]["refund_request"]["id"] == answers[2]["refund_request"]["id"]
    for answer, (_, status, code) in zip(answers[3:], wrong.values(), strict=True):
        assert (answer["status"], answer["problem"]["code"]) == (status, code)
        assert answer["refund_request"] is None
        assert answer["problem"]["request_id"] == got.headers["Request-Id"]


def test_the_pointer_of_a_bad_line_is_within_the_line(people: People, world: World) -> None:
    got = people.agent.post(PATH, {"lines": [line(world, 0)]})
    assert got.json["data"][0]["problem"]["errors"][0]["pointer"] == "/amount"


def test_a_repeated_batch_is_replayed_line_by_line(people: People, world: World) -> None:
    lines = [line(world), line(world, 5001)]
    first = people.agent.post(PATH, {"lines": lines}).json["data"]
    again = people.agent.post(PATH, {"lines": lines}).json["data"]
    assert [one["replayed"] for one in again] == [True, True]
    assert again[0]["refund_request"]["id"] == first[0]["refund_request"]["id"]
    assert again[1]["problem"]["refund_request"]["id"] == first[1]["problem"]["refund_request"]["id"]


@pytest.mark.parametrize(
    ("count", "status", "code"), [(0, 422, "validation_failed"), (501, 413, "batch_too_large")]
)
def test_a_batch_has_1_to_500_lines(people: People, count: int, status: int, code: str) -> None:
    got = people.agent.post(PATH, {"lines": [{}] * count})
    assert (got.status, got.code) == (status, code)


def test_500_lines_are_decided_together(people: People, world: World) -> None:
    payment = world.payment(600_000)
    lines = [
        {"operation_key": f"batch-{n:03d}", "payment": payment, "amount": 100 + n, "currency": "usd"}
        for n in range(500)
    ]
    got = people.agent.post(PATH, {"lines": lines})
    assert got.status == 202
    assert len({one["refund_request"]["id"] for one in got.json["data"]}) == 500
