"""The authorization matrix: every route × every role × whose the object is × which environment (RELIABILITY §5.2, T9, T10, T12, T47).

What is expected is written by hand in tests/api/ownership.py; how each route is called, in tests/api/samples.py.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from adapters.sql.reads import SqlReads
from governor.domain.credentials import Role
from governor.domain.limits import Scope
from tests.api.ownership import NOWHERE, RELATIONS, Route, collection_rows, object_rows
from tests.api.people import People, Person
from tests.api.samples import call_of
from tests.api.scenes import Scene, cast, doubt_of, held_of, limit_of, stage
from tests.api.wire import Got
from tests.builders import World
from tests.freezing import freeze
from tests.rules import idle_rule
from tests.servers import libpq

WITH_OBJECT = sorted({route for route, _ in object_rows()})
ID = re.compile(r"(?:rr|hold|lim|chg|cred|rule|frz|ep|msg)_[0-9a-z]{26}")


@pytest.fixture(scope="module")
def home(world: World) -> World:
    """The environment of all callers."""
    stage(world)
    return world


@pytest.fixture(scope="module")
def away(home: World) -> Iterator[World]:
    """Another environment in the same database, in which everything exists, too."""
    built = World(home.database_url, home.redis_url, home.provider, environment="away")
    stage(built)
    yield built
    built.close()


def send(people: People, route: Route, scene: Scene, relation: str) -> Got:
    call = call_of(route, scene, relation)
    return Person(people.wire, scene.key).send(route[0], call.path, call.body, **call.headers)


def without_names(got: Got) -> tuple[int, Any]:
    """What an answer gives away: everything but the ids that the caller has sent and the name of the call."""
    said = json.loads(ID.sub("(an id)", got.body.decode()))
    return got.status, {name: value for name, value in said.items() if name != "request_id"}


def possible(role: Role, *, of_credentials: bool) -> list[str]:
    """The relations in which somebody of a role can be to an object: only agents have others below or above them."""
    family = {"child", "parent"} if role is not Role.AGENT else set()
    impossible = family if of_credentials else family | {"peer"}
    return [relation for relation in RELATIONS if relation not in impossible]


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("route", WITH_OBJECT, ids=" ".join)
def test_an_object_is_reached_by_whom_the_matrix_names(
    people: People, home: World, away: World, route: Route, role: Role
) -> None:
    expected = object_rows().get((route, role))
    got: dict[str, int] = {}
    of_credentials = "<credential_id>" in route[1]
    for relation in expected or possible(role, of_credentials=of_credentials):
        scene = cast(home, away, role, relation, of_credentials=of_credentials)
        got[relation] = send(people, route, scene, relation).status
    assert got == (expected or dict.fromkeys(got, 403))


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("route", WITH_OBJECT, ids=" ".join)
def test_what_is_elsewhere_is_answered_like_what_is_nowhere(
    people: People, home: World, away: World, route: Route, role: Role
) -> None:
    allowed = (route, role) in object_rows()
    answers = []
    for relation in (*NOWHERE, *(() if allowed else ("other",))):
        scene = cast(home, away, role, relation, of_credentials="<credential_id>" in route[1])
        answers.append(without_names(send(people, route, scene, relation)))
    status, said = answers[0]
    assert status == (404 if allowed else 403)
    assert said["code"] == "role_not_allowed" or (allowed and said["code"].endswith("_not_found"))
    assert all(answer == answers[0] for answer in answers), "an answer tells whether the object exists"


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("route", sorted(collection_rows()), ids=" ".join)
def test_a_collection_is_open_to_whom_the_matrix_names(
    people: People, home: World, away: World, route: Route, role: Role
) -> None:
    roles, status = collection_rows()[route]
    scene = cast(home, away, role, "own", of_credentials=False)
    got = send(people, route, scene, "own")
    if role in roles:
        assert got.status == status, got.body
    else:
        assert (got.status, got.code) == (403, "role_not_allowed")


def furnish(world: World) -> None:
    """One of everything that can be looked at."""
    asker = world.caller(Role.AGENT, f"furnisher of {world.environment}")
    scene = Scene(world, "", asker, asker)
    doubt_of(scene), held_of(scene), limit_of(scene)
    freeze(world, Scope.PAYMENT, world.payment())
    idle_rule(world)


def ids_of(world: World) -> set[str]:
    """Every id of an environment, from the database itself."""
    statement = """
        SELECT id FROM refund_requests WHERE environment = %(here)s
        UNION SELECT hold FROM refund_requests WHERE environment = %(here)s AND hold IS NOT NULL
        UNION SELECT id FROM limits WHERE environment = %(here)s
        UNION SELECT id FROM rules WHERE environment = %(here)s
        UNION SELECT id FROM limit_changes WHERE environment = %(here)s
        UNION SELECT id FROM credentials WHERE environment = %(here)s
        UNION SELECT id FROM freezes WHERE environment = %(here)s
        UNION SELECT id FROM endpoints WHERE environment = %(here)s
        UNION SELECT id FROM messages WHERE environment = %(here)s
    """
    with psycopg.connect(libpq(world.database_url)) as session:
        return {row[0] for row in session.execute(statement, {"here": world.environment})}


SHOWS_IDS = (
    "refund-requests",
    "holds",
    "unknown",
    "limits",
    "rules",
    "credentials",
    "freezes",
    "audit",
    "export",
)


@pytest.mark.parametrize(
    "route", sorted(route for route in collection_rows() if route[0] == "GET"), ids=" ".join
)
def test_a_look_shows_what_is_here_and_nothing_of_elsewhere(
    people: People, home: World, away: World, route: Route
) -> None:
    for world in (home, away):
        furnish(world)
    for role in sorted(collection_rows()[route][0]):
        for world in (home, away):
            scene = cast(world, world, role, "own", of_credentials=False)
            shown = set(ID.findall(send(people, route, scene, "own").body.decode()))
            assert shown <= ids_of(world)
            assert shown or not route[1].endswith(SHOWS_IDS), "what shows nothing proves nothing"


def naming(people: People, away: World) -> Iterator[tuple[Got, Got]]:
    """Answers to calls that name an object in a field: one of elsewhere, and one that is not."""
    stranger = away.caller(Role.AGENT, "stranger")
    theirs = away.request(stranger, away.payment(), 100)
    ask = {"payment": away.payment(), "amount": 100, "currency": "usd", "note": "again"}
    stop = {"scope": "credential", "reason": "stop"}
    yield (
        people.supporter.post("/refund-requests", ask | {"duplicate_of": theirs.id}),
        people.supporter.post("/refund-requests", ask | {"duplicate_of": f"rr_{'0' * 26}"}),
    )
    yield (
        people.operator.post("/environment/freeze", stop | {"value": stranger.credential.id}),
        people.operator.post("/environment/freeze", stop | {"value": f"cred_{'0' * 26}"}),
    )
    yield (
        people.auditor.get(f"/refund-requests?requested_by={stranger.credential.id}"),
        people.auditor.get(f"/refund-requests?requested_by=cred_{'0' * 26}"),
    )
    yield (
        people.auditor.get(f"/refund-requests?payment={theirs.payment}"),
        people.auditor.get("/refund-requests?payment=pi_nobody"),
    )
    yield (
        people.auditor.get(f"/audit?object={theirs.id}"),
        people.auditor.get(f"/audit?object=rr_{'0' * 26}"),
    )


def test_an_object_of_elsewhere_that_a_field_names_is_answered_like_one_that_is_not(
    people: People, away: World
) -> None:
    for elsewhere, nowhere in naming(people, away):
        assert without_names(elsewhere) == without_names(nowhere)
        assert elsewhere.status in {200, 404}


FORGETFUL = {
    "request": ("GET", "/api/v1/refund-requests/<request_id>"),
    "request_by_hold": ("GET", "/api/v1/holds/<hold_id>"),
    "limit": ("GET", "/api/v1/limits/<limit_id>"),
}


@pytest.mark.parametrize("look_up", FORGETFUL)
def test_a_look_up_that_forgets_its_environment_is_found(
    people: People, home: World, away: World, monkeypatch: pytest.MonkeyPatch, look_up: str
) -> None:
    real = getattr(SqlReads, look_up)

    def anywhere(reads: SqlReads, _environment: str, name: str) -> Any:
        return real(reads, home.environment, name) or real(reads, away.environment, name)

    monkeypatch.setattr(SqlReads, look_up, anywhere)
    with pytest.raises(AssertionError):
        test_what_is_elsewhere_is_answered_like_what_is_nowhere(
            people, home, away, FORGETFUL[look_up], Role.AUDITOR
        )
