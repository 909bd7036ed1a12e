from urllib.parse import quote

import pytest

from tests.api.people import People
from tests.builders import World

PATH = "/refund-requests"


@pytest.fixture(scope="module")
def made(people: People, world: World) -> list[str]:
    """Five requests of two payments, oldest first."""
    world.limit(1_000_000)
    payments = [world.payment(5000), world.payment(5000)]
    answers = [
        people.agent.post(
            PATH, {"payment": payments[n % 2], "amount": 100 + n, "currency": "usd", "case": f"zd-{n}"}
        )
        for n in range(5)
    ]
    return [answer.json["id"] for answer in answers]


def test_pages_follow_each_other_newest_first_and_miss_nothing(people: People, made: list[str]) -> None:
    found: list[str] = []
    path = f"{PATH}?limit=2"
    while path:
        got = people.auditor.get(path)
        found += [one["id"] for one in got.json["data"]]
        assert got.json["has_more"] == ("Link" in got.headers)
        assert got.json["has_more"] == (got.json["next_cursor"] is not None)
        link = got.headers.get("Link", "")
        path = link.removeprefix("</api/v1").removesuffix('>; rel="next"')
    assert found == made[::-1]


def test_a_filter_that_repeats_means_any_of_its_values(people: People, made: list[str]) -> None:
    found = people.auditor.get(f"{PATH}?case=ZD-1&case=zd-3&state=queued").json["data"]
    assert [one["id"] for one in found] == [made[3], made[1]]
    assert people.auditor.get(f"{PATH}?case=ZD-1&state=succeeded").json["data"] == []


def test_a_cursor_works_for_its_own_list_and_filter_only(people: People, made: list[str]) -> None:
    cursor = people.auditor.get(f"{PATH}?limit=1&state=queued").json["next_cursor"]
    assert people.auditor.get(f"{PATH}?limit=5&state=queued&after={cursor}").json["data"][0]["id"] == made[3]
    for path in (
        f"{PATH}?limit=1&after={cursor}",
        f"{PATH}?limit=1&state=queued&state=failed&after={cursor}",
        f"{PATH}?limit=1&state=queued&after={cursor[:-3]}",
        f"{PATH}?limit=1&state=queued&after={'A' * len(cursor)}",
        f"{PATH}?limit=1&state=queued&after={quote('☃')}",
        f"{PATH}?limit=1&state=queued&after={quote(made[0])}",
        f"/holds?after={cursor}",
    ):
        assert (people.approver.get(path).status, people.approver.get(path).code) == (400, "cursor_invalid")


def test_a_cursor_of_another_environment_is_refused(people: People, world: World, made: list[str]) -> None:
    cursor = people.auditor.get(f"{PATH}?limit=1").json["next_cursor"]
    assert made
    elsewhere = World(world.database_url, world.redis_url, world.provider, environment="elsewhere")
    try:
        got = People(elsewhere, people.wire).auditor.get(f"{PATH}?limit=1&after={cursor}")
    finally:
        elsewhere.close()
    assert (got.status, got.code) == (400, "cursor_invalid")


@pytest.mark.parametrize(
    "query",
    [
        *(f"limit={value}" for value in ("0", "-1", "101", "1e3", "abc", "9" * 300, "%D9%A1", "", "01")),
        "limit=1&limit=2",
        "after=a&after=b",
        "state=unheard",
        "state=QUEUED",
        "state[$ne]=x",
        "&".join(["state=queued"] * 100),
        "payment=pi_%00",
        "payment=%ff",
        "customer=x",
        "requested_by='%20OR%201=1--",
        "case=%F0%9F%98%80",
        "q='%20OR%201=1--",
        "expand=timeline",
        "created_after=yesterday",
        "key=gvk_test_secret",
    ],
)
def test_a_query_that_makes_no_sense_is_refused_and_not_echoed(people: People, query: str) -> None:
    got = people.auditor.get(f"{PATH}?{query}")
    assert (got.status, got.code) == (400, "query_invalid")
    assert b"gvk_test_secret" not in got.body


@pytest.mark.parametrize(
    "query", ["expand=everything", "expand=timeline.timeline", "expand=timeline&expand=timeline"]
)
def test_an_expansion_that_does_not_exist_is_refused(people: People, made: list[str], query: str) -> None:
    assert people.auditor.get(f"{PATH}/{made[0]}?{query}").code == "query_invalid"


def test_head_answers_like_get_without_a_body(people: People, made: list[str]) -> None:
    for path in (PATH, f"{PATH}/{made[0]}"):
        got = people.auditor.send("HEAD", path)
        assert (got.status, got.body) == (200, b"")
        assert got.headers["Content-Length"] == people.auditor.get(path).headers["Content-Length"]
