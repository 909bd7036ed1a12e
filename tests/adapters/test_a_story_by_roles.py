"""A real story, played with every process in its own role of deploy/postgres_roles.sql. RELIABILITY §5.3."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from adapters.embedded.postgres import EmbeddedPostgres
from governor.domain.credentials import Kind, Role
from governor.domain.errors import Unauthenticated, Unavailable
from governor.domain.lifecycle import State
from governor.domain.runs import RunState
from governor.domain.seen import AsSeen
from governor.usecases.grant_membership import MembershipDraft
from governor.usecases.verify_trail import verify_file
from tests.adapters.roles import Roles, in_force
from tests.api.wire import OverSocket, Sent
from tests.books import judge
from tests.builders import World, close, fresh_key, settings
from tests.receiver import Receiver
from tests.receiver import status as answering
from tests.stack import Stack, eventually
from tests.twin import Twin
from tests.usecases.people import ADDRESS, PASSWORD, Staff


@pytest.fixture
def roles(postgres_server: EmbeddedPostgres, migrated_template: str) -> Iterator[Roles]:
    with in_force(postgres_server, migrated_template) as found:
        yield found


@pytest.fixture
def twin() -> Iterator[Twin]:
    with Twin() as running:
        yield running


def _world(roles: Roles, redis_url: str, twin: Twin) -> World:
    """Founded, limited and keyed on the host, by the operator's role."""
    return World(roles.url("governor_operator"), redis_url, twin)


def test_a_story_is_played_with_every_process_in_its_own_role(
    roles: Roles, redis_url: str, twin: Twin, tmp_path: Path
) -> None:
    """Admitted and approved over HTTP by the web; sent, lost, found and caught up with by the workers."""
    world = _world(roles, redis_url, twin)
    world.limit(100_000, approval_above=5_000)
    given: dict[str, Any] = {
        "provider_url": twin.url,
        "loopback_endpoints": True,
        "events_poll_seconds": 5,
        "refunds_sweep_seconds": 5,
    }
    folders = [tmp_path / "web", tmp_path / "workers"]
    for folder in folders:
        folder.mkdir()
    stacks = [
        Stack(settings(roles.url(role), redis_url, **given), folder)
        for role, folder in zip(("governor_web", "governor_worker"), folders, strict=True)
    ]
    try:
        with stacks[0] as web, stacks[1] as workers, Receiver() as receiver:
            workers.start("relay", "worker", "cron", "messenger")
            web.start("web")
            operator = world.key(Role.OPERATOR, "operator of endpoints", kind=Kind.HUMAN)
            _listen(web, operator, receiver)
            _play(world, twin, web, workers)
            eventually(lambda: _heard(receiver) >= TOLD, lambda: workers.said("messenger"))
            receiver.answers = answering(410)
            world.limit(200_000)
            eventually(lambda: _gone(web, operator), lambda: workers.said("messenger"))
            said = web.said("web") + "".join(map(workers.said, ("relay", "worker", "cron", "messenger")))
        assert "permission denied" not in said
        assert world.app.check_books().findings == ()
        assert world.app.audit.verify("test").broken is None
        assert world.app.audit.care.of("test").anchored, "cron says that it has anchored the trail"
        judge(roles.superuser, twin.writes())
    finally:
        world.close()


ENDPOINTS = "/api/v1/webhook-endpoints"
TOLD = {"refund_request.held", "refund_request.succeeded", "refund_request.denied", "limit.created"}


def _listen(web: Stack, operator: str, receiver: Receiver) -> None:
    headers = {"Idempotency-Key": "role-endpoint-1"}
    status, _, body = web.call("POST", ENDPOINTS, operator, {"url": receiver.url}, **headers)
    assert status == 201, body


def _heard(receiver: Receiver) -> set[str]:
    return {call.json["type"] for call in receiver.calls}


def _gone(web: Stack, operator: str) -> bool:
    (found,) = web.call("GET", ENDPOINTS, operator)[2]["data"]
    return str(found["disabled_reason"]) == "gone"


def _play(world: World, twin: Twin, web: Stack, workers: Stack) -> None:
    agent, approver = world.key(), world.key(Role.APPROVER, "approver", kind=Kind.HUMAN)
    sent = _ask(web, agent, twin.payment(9000), 1000, "role-key-1")
    waits = _ask(web, agent, twin.payment(9000), 6000, "role-key-2")
    _approve(web, approver, waits)
    twin.fault("drop_after", method="POST", path="/v1/refunds")
    lost = _ask(web, agent, twin.payment(9000), 700, "role-key-3")
    twin.dashboard_refund(twin.payment(9000), 50)
    for request in (sent, waits, lost):
        eventually(partial(_succeeded, web, agent, request), partial(workers.said, "worker"))
    assert _denied(web, agent, twin.payment(900_000)) == "limit_exceeded"
    operator = world.key(Role.OPERATOR, "second operator", kind=Kind.HUMAN)
    limit = {"scope": "agent", "measure": "count", "window": "day", "cap": 50}
    headers = {"Idempotency-Key": "role-limit-1"}
    assert web.call("POST", "/api/v1/limits", operator, limit, **headers)[0] == 201
    _export(web, world.key(Role.AUDITOR, "auditor", kind=Kind.HUMAN))


def _export(web: Stack, auditor: str) -> None:
    """The whole trail as a client on the network gets it, in pieces."""
    host = ("Host", f"127.0.0.1:{web.port}")
    asked = Sent("GET", "/api/v1/audit/export", (host, ("Authorization", f"Bearer {auditor}")))
    got = OverSocket(web.port)(asked)
    assert (got.status, got.headers["Transfer-Encoding"]) == (200, "chunked")
    verdict = verify_file(got.body.splitlines(keepends=True))
    assert verdict.broken is None
    assert got.headers["Audit-Rows"] == f"1-{verdict.last}"


def _ask(web: Stack, agent: str, payment: str, amount: int, key: str) -> str:
    asked = {"payment": payment, "amount": amount, "currency": "usd"}
    status, _, body = web.call("POST", "/api/v1/refund-requests", agent, asked, **{"Idempotency-Key": key})
    assert status in {200, 202}, body
    return str(body["id"])


def _denied(web: Stack, agent: str, payment: str) -> str:
    asked = {"payment": payment, "amount": 800_000, "currency": "usd"}
    headers = {"Idempotency-Key": "role-key-denied"}
    status, _, body = web.call("POST", "/api/v1/refund-requests", agent, asked, **headers)
    assert status == 403, body
    return str(body["code"])


def _approve(web: Stack, approver: str, request: str) -> None:
    hold = web.call("GET", f"/api/v1/holds/hold_{request[3:]}", approver)[2]
    said = {"decision": "approve", "digest": hold["digest"], "version": hold["version"], "reason": "fits"}
    path, headers = f"/api/v1/holds/{hold['id']}/decisions", {"Idempotency-Key": "role-vote-1"}
    status, _, body = web.call("POST", path, approver, said, **headers)
    assert status == 200, body


def _succeeded(web: Stack, agent: str, request: str) -> bool:
    found = web.call("GET", f"/api/v1/refund-requests/{request}", agent)[2]
    return str(found["state"]) == "succeeded"


def test_what_an_operator_does_on_the_host_fits_their_role(roles: Roles, redis_url: str, twin: Twin) -> None:
    world = _world(roles, redis_url, twin)
    try:
        limit = world.change_cap(world.limit(1000), 2000)
        world.app.change_limit.archive(world.operator, limit.id, AsSeen(limit.revision))
        key = world.caller(name="to be revoked").credential.id
        world.app.manage_credentials.revoke(world.operator, key)
        world.app.catch_up("test")
        world.app.read_inbox("test")
        assert world.app.check_books().findings == ()
        assert world.app.audit.verify("test").broken is None
    finally:
        world.close()


def test_the_web_asks_for_a_run_a_runner_carries_it_out_and_the_web_shows_its_files(
    roles: Roles, redis_url: str, twin: Twin
) -> None:
    world = _world(roles, redis_url, twin)
    web = world.another_process(database_url=roles.url("governor_web"))
    worker = world.another_process(database_url=roles.url("governor_worker"))
    try:
        runs = web.long_work.runs
        asked = {"currency": "usd"}
        run, _ = runs.begin(world.operator, "reconcile", asked, "role-run-1")
        other, _ = runs.begin(world.operator, "look_again", {}, "role-run-2")
        runs.cancel(world.operator, other.id)
        carried = worker.long_work.carry_out(lambda: False)
        assert carried == runs.look(world.operator, run.id)
        assert carried.state is RunState.DONE, carried.reason
        content = runs.content(world.operator, run.id, "reconciliation-usd.csv")[1]
        assert b"".join(content).startswith(b'"refund_request",')
        assert worker.long_work.tidy() == 0
    finally:
        close(web)
        close(worker)
        world.close()


def test_a_web_process_cannot_do_what_a_worker_does_not_even_by_mistake(
    roles: Roles, redis_url: str, twin: Twin
) -> None:
    """The relay's work fails for the web's role, and nothing that was decided is lost by it."""
    world = _world(roles, redis_url, twin)
    web = world.another_process(database_url=roles.url("governor_web"))
    try:
        world.limit(5000)
        request = world.request(world.caller(), world.payment(5000), 100, app=web)
        with pytest.raises(Unavailable):
            web.outbox.ring_due(lambda _: None)
        assert world.now(request).state is State.QUEUED
    finally:
        close(web)
        world.close()


def test_people_are_kept_by_the_hosts_role_and_come_in_by_the_webs(
    roles: Roles, redis_url: str, twin: Twin
) -> None:
    """Everything that the console does for people, with the rights of a web process."""
    world = _world(roles, redis_url, twin)
    web = world.another_process(database_url=roles.url("governor_web"))
    try:
        host, door = world.app.people, web.people
        staff = Staff(world)
        staff.person("ben", Role.OPERATOR)
        staff.person("cleo")
        host.manage.link("cleo", "https://idp.example", "sub-cleo")
        with pytest.raises(Unauthenticated, match="sign_in_failed"):
            door.sign_in.with_password("ben", "a wrong and long password", "", ADDRESS)
        opened = door.sign_in.with_password("ben", PASSWORD, "", ADDRESS)
        ben = door.sessions.of(opened.token).caller("test", Role.OPERATOR)
        granted, _ = door.grant(ben, MembershipDraft("cleo", Role.AUDITOR), fresh_key())
        web.manage_credentials.revoke(ben, granted.id)
        door.sessions.confirm(opened.token, PASSWORD, "")
        assert door.account.begin_totp(opened.token).startswith("otpauth://")
        door.account.remove_totp(opened.token)
        door.account.change_password(opened.token, PASSWORD, "another walk to Friday")
        door.sessions.end_one(opened.person, opened.session.id)
        door.sessions.end_all(opened.person)
        for verb in (host.manage.remove_totp, host.manage.disable, host.manage.enable, host.manage.unlink):
            verb("ben")
        assert host.manage.set_password("ben", PASSWORD).login == "ben"
        assert host.manage.rename("ben", "Ben B.").name == "Ben B."
        with pytest.raises(Unavailable):
            door.manage.disable("ben")
    finally:
        close(web)
        world.close()
