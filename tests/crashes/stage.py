"""Where the stories of crashes are told: one world for a whole module, emptied between cases.

A case's processes are children of this one (tests/crashes/dying.py), and what is alive afterwards does what it
always does: the client asks again under its key, cron ticks, the relay rings, and a worker takes what was rung.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import psycopg
from flask.testing import FlaskClient
from redis import Redis

from adapters.clock import FileOffset
from adapters.queue.doorbell import queue_on
from governor.api.app import create_app
from governor.bootstrap import Application
from governor.domain.approval import ApprovalHold
from governor.domain.credentials import Kind, Role
from governor.domain.lifecycle import State
from governor.domain.limits import Limit
from governor.domain.requests import RefundRequest
from governor.usecases.callers import Caller
from governor.usecases.change_environment import EnvironmentDraft
from governor.usecases.dispatch_refund import Claim
from tests.books import judge_in
from tests.builders import STRIPE_KEY, World, close, fresh_key
from tests.receiver import Receiver
from tests.servers import libpq
from tests.stripe.webhooks import SECRET, body_of, signed
from tests.twin import Twin
from workers import cron, messenger, relay
from workers.drain import drain

CAP = 100_000
AS_US = {"Authorization": f"Bearer {STRIPE_KEY}"}
PATH = "/api/v1/refund-requests"
LEASE_OVER = 61
LATER = (0, 0, LEASE_OVER, 120, 300, 900, 2000, 5000, 9000, 13_000, 17_000, 21_000)
"""Seconds from the crash at which everybody who is alive acts once: leases run out, back-offs pass, no key grows old."""
WIPE = """
    DO $$ DECLARE one text; BEGIN
        SET LOCAL session_replication_role = replica;
        FOR one IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' AND tablename <> 'alembic_version'
        LOOP EXECUTE format('DELETE FROM %I', one); END LOOP;
    END $$"""
"""Past the triggers that keep evidence and the audit trail from being changed, which stop everybody but a superuser."""

IDLE = """
    SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND state LIKE 'idle in transaction%'"""


@dataclass
class Stage:
    """One world, the people of the present case, and what they have asked for."""

    world: World
    superuser: psycopg.Connection[Any]
    """One session for all cases: a new one would have to learn every table again."""
    secrets: Path
    twin: Twin
    receiver: Receiver
    http: FlaskClient = field(init=False)
    limit: Limit = field(init=False)
    agent_key: str = field(init=False)
    agent: Caller = field(init=False)
    approver: Caller = field(init=False)
    payment: str = field(init=False)
    key: str = field(init=False)
    asked: dict[str, Any] = field(init=False)
    hold: ApprovalHold = field(init=False)
    claim: Claim = field(init=False)
    second: Caller = field(init=False)
    event: bytes = field(init=False)
    number: int = 0

    def __post_init__(self) -> None:
        close(self.world.app)
        app = self.world.another_process(webhook_secrets_file=self.secrets, loopback_endpoints=True)
        self.world.app = self._with_moving_clocks(app)
        web = create_app(self.world.app, trusted_hosts=["localhost"], cursor_key=b"k" * 32)
        self.http = web.test_client()

    def new_case(self) -> None:
        """Everything anew: an empty database, an empty twin, and today."""
        self.number += 1
        self.superuser.execute(WIPE.encode())
        with Redis.from_url(self.world.redis_url) as connection:
            connection.flushall()
        self.twin.reset()
        self.receiver.calls.clear()
        world = self.world
        world.environment = (
            f"case-{self.number}"  # never the same: a process may remember the limits of one it knew
        )
        self.secrets.write_text(json.dumps({world.environment: [SECRET]}), encoding="utf-8")
        world.advance(0)
        draft = EnvironmentDraft(world.mode, world.rate_per_second, world.approval_seconds)
        world.app.change_environment.found(world.environment, draft)
        world.operator = world.caller(Role.OPERATOR, "operator", kind=Kind.HUMAN)
        self.limit = world.limit(CAP)
        self.agent_key = world.key()
        self.agent = world.app.authenticate(self.agent_key)
        self.approver = world.approver()
        self.payment, self.key = world.payment(5000), fresh_key()
        self.asked = {"payment": self.payment, "amount": 1500, "currency": "usd"}

    def _with_moving_clocks(self, app: Application) -> Application:
        """Where governor's clock is moved, a process's own clock, which nobody can set, has moved as far."""
        dispatch = replace(app.dispatch_refund, monotonic=lambda: time.monotonic() + self.offset())
        return replace(
            app, dispatch_refund=dispatch, recover_refund=replace(app.recover_refund, dispatch=dispatch)
        )

    def offset(self) -> float:
        """How many seconds governor's clock is ahead of the real one."""
        assert self.world.dev_clock is not None
        return FileOffset(self.world.dev_clock)().total_seconds()

    # What people do

    def ask(self) -> tuple[int, bool, str]:
        """The client's call of the API: status, whether it is a replay, and the request's id."""
        return self._post(self.key, self.asked)

    def ask_something_else(self) -> tuple[int, bool, str]:
        """Another call, under another key."""
        return self._post(fresh_key(), self.asked | {"amount": 10})

    def _post(self, key: str, asked: dict[str, Any]) -> tuple[int, bool, str]:
        headers = {"Authorization": f"Bearer {self.agent_key}", "Idempotency-Key": key}
        answer = self.http.post(PATH, json=asked, headers=headers)
        body = answer.get_json() or {}
        found = body.get("id") or (body.get("refund_request") or {}).get("id") or body.get("code", "")
        return answer.status_code, "Idempotent-Replayed" in answer.headers, str(found)

    def stop_writes(self) -> None:
        """The provider's writes are halted, as an overrun halts them."""
        with self.world.app.store.environment(self.world.environment) as tx:
            tx.save_environment(
                replace(tx.here, halted_reason="overrun: of another", revision=tx.here.revision + 1)
            )

    def let_writes_go_on(self) -> None:
        """An operator has seen why, if they were halted."""
        with self.world.app.store.reading() as reads:
            here = reads.environment_named(self.world.environment)
        if here is not None and here.halted_reason:
            self.world.app.change_environment.acknowledge(self.world.operator, "seen")

    def marks_run_out(self) -> None:
        """The seconds pass for which a key counts as in flight though its process has died."""
        with psycopg.connect(libpq(self.world.database_url), autocommit=True) as session:
            session.execute("UPDATE in_flight SET until = clock_timestamp()")

    def note_event(self) -> None:
        """The newest event of the provider, as its webhook would bring it."""
        with urlopen(Request(f"{self.twin.url}/v1/events?limit=1", headers=AS_US)) as answer:  # noqa: S310 - the twin's
            (event,) = json.loads(answer.read())["data"]
        self.event = body_of(event)

    def deliver(self) -> int:
        """The provider brings its event; the status it is answered with."""
        headers = {"Stripe-Signature": signed(self.event, self.world.app.store.real_now())}
        return self.http.post(
            f"/webhooks/stripe/{self.world.environment}", data=self.event, headers=headers
        ).status_code

    def request(self) -> RefundRequest | None:
        """What the database knows under the client's key."""
        with self.world.app.store.reading() as reads:
            return reads.request_by_key(self.world.environment, self.key)

    def state(self) -> State | None:
        """Where it stands; None when nothing is recorded."""
        request = self.request()
        return request.state if request else None

    def known(self) -> RefundRequest:
        """The request, which is there."""
        request = self.request()
        assert request is not None, "nothing is recorded"
        return request

    # What the processes do

    def work(self) -> None:
        """A worker in this process takes what was rung, as often as it was."""
        app = self.world.app
        for some_id in self.rung():
            environment = app.inbox.environment_of(some_id)
            if environment is None:
                drain(app, some_id)
            else:
                app.read_inbox(environment)

    def rung(self) -> list[str]:
        """The ids of the jobs in the queue, which is empty afterwards."""
        with Redis.from_url(self.world.redis_url) as connection:
            queue = queue_on(connection)
            ids = [str(job.args[0]) for job in queue.jobs]
            connection.delete(queue.key)
        return ids

    def one_round(self) -> None:
        """Everybody who is alive acts once."""
        cron.run_once(self.world.app, sweep=True)
        relay.run_once(self.world.app)
        self.work()
        messenger.run_once(self.world.app)

    def live_on(self, until: Callable[[], bool]) -> None:
        """Time goes on, and all do what they always do, until it is so."""
        begin = self.offset()
        for seconds in LATER:
            self.world.advance(begin + seconds)
            self.one_round()
            if until():
                return
        raise AssertionError(f"it never comes: {self.request()}")

    def end_idle_sessions(self) -> None:
        """What the server does by itself after ten seconds: a transaction in which nothing happens is over."""
        self.superuser.execute(IDLE.encode())

    def sent(self) -> int:
        """How many calls have reached the provider that can move money."""
        return sum(call["method"] == "POST" for call in self.twin.calls())

    def used(self) -> int:
        """What the limit counts as held or gone."""
        cap = self.world.app.queries.limit(self.world.operator, self.limit.id).cap
        return cap - self.world.headroom(self.limit)

    def judge(self, executed: int) -> None:
        """The books add up, the trail is whole, and the provider did exactly so much."""
        assert self.world.app.check_books().findings == ()
        writes = self.twin.writes()
        judge_in(self.superuser, writes)
        assert len(writes) == executed
