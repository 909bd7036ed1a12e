"""Secrets of every kind that somebody pastes where they do not belong, and the places where none may turn up."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import quote

import psycopg
import redis

from governor.domain.credentials import Role
from tests.api.ownership import Route, described
from tests.api.samples import Call
from tests.api.scenes import Scene, cast
from tests.builders import World
from tests.servers import libpq

# Put together here, so that this file does not hold what looks like a key.
CANARIES: Mapping[str, str] = {
    "a key of governor": "gvk_test_" + "canaryaaaaaaaaaaaaaaaaaaaa_" + "canary1",
    "a test key of the provider": "sk_test_" + "canary2",
    "a restricted key": "rk_test_" + "canary3",
    "a live key": "sk_live_" + "canary4",
    "a webhook's secret": "whsec_" + "canary5",
    "a bearer token": "Bearer canary6.canary6",
    "a password in an address": "postgresql://me:canary7@db.internal/x",
    "an e-mail address": "canary8@shop.example",
    "a card": "4242424242424242",
}
"""By kind; `marks` says what of each would give it away."""
MARKS = (*(f"canary{number}" for number in range(1, 9)), CANARIES["a card"])
PASTED = " ".join(CANARIES.values())


def scene_of(world: World, route: Route) -> Scene:
    """Somebody who may call a route, and whose the object is, or at least not out of reach."""
    role = min(described()[route])
    relation = "own" if role is Role.AGENT or "<credential_id>" in route[1] else "other"
    return cast(world, world, role, relation, of_credentials="<credential_id>" in route[1])


def leaked(text: str) -> list[str]:
    """Which canaries a text gives away."""
    return [mark for mark in MARKS if mark in text]


def poisoned(call: Call) -> Iterator[Call]:
    """The same call with everything pasted where a caller can paste something: path, query, headers, each field."""
    word = quote(PASTED.replace("/", ""), safe="")
    yield Call(f"{call.path}/{word}", call.body, call.headers)
    yield Call(
        f"{call.path}{'&' if '?' in call.path else '?'}canary={word}",
        call.body,
        call.headers,
    )
    for headers in (
        ("Idempotency_Key",),
        ("If_Match",),
        ("Accept",),
        ("Prefer", "traceparent", "User_Agent", "X_Forwarded_For"),
    ):
        yield Call(call.path, call.body, {**call.headers, **dict.fromkeys(headers, PASTED)})
    for authorization in (f"Bearer {CANARIES['a key of governor']}", f"Basic {word}", PASTED):
        yield Call(call.path, call.body, {**call.headers, "Authorization": authorization})
    if isinstance(call.body, dict):
        yield Call(call.path, {**call.body, PASTED: PASTED}, call.headers)
        for name in [*call.body, "note", "reason", "name", "case", "agent", "owner"]:
            yield Call(call.path, {**call.body, name: PASTED}, call.headers)
            yield Call(call.path, {**call.body, name: {PASTED: [PASTED]}}, call.headers)


def trail(world: World) -> str:
    """The whole audit trail, of every environment."""
    with psycopg.connect(libpq(world.database_url)) as session:
        rows = session.execute("SELECT to_jsonb(a) FROM audit a").fetchall()
    return json.dumps(rows, default=str)


def queue(world: World) -> str:
    """Everything in Redis."""
    with redis.Redis.from_url(world.redis_url, decode_responses=True, encoding_errors="replace") as client:
        return "\n".join(f"{name} {_content(client, name)}" for name in client.scan_iter())


def _content(client: Any, name: str) -> Any:
    match client.type(name):
        case "hash":
            return client.hgetall(name)
        case "list":
            return client.lrange(name, 0, -1)
        case "set":
            return client.smembers(name)
        case "zset":
            return client.zrange(name, 0, -1)
        case "stream":
            return client.xrange(name)
        case _:
            return client.get(name)


def database(world: World) -> str:
    """Every row of every table, as a dump would have it."""
    with psycopg.connect(libpq(world.database_url)) as session:
        tables = session.execute(
            "SELECT oid::regclass::text FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'p')"
        ).fetchall()
        assert len(tables) > 15
        return "\n".join(
            str(row)
            for (table,) in tables
            for row in session.execute(f"SELECT t::text FROM {table} t")  # noqa: S608  names of our own tables
        )
