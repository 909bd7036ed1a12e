"""The story of one ``/v1`` call: faults, key, account, parameters, idempotency, execution, answer."""

import base64
import binascii
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from adapters.sandbox import calls, errors, expansion, idempotency, parameters, refunds
from adapters.sandbox.errors import Refusal
from adapters.sandbox.fault_answers import after_executing, instead_of_executing, refused
from adapters.sandbox.faults import FaultBook, Orders
from adapters.sandbox.routes import Route, check_present, route_of
from adapters.sandbox.shelf import Document
from adapters.sandbox.wire import Answer, Reply, Request, json_answer
from adapters.sandbox.work import Work
from adapters.sandbox.world import API_VERSION, World, account_of_key, new_id

_TEST_KEY = re.compile(r"(sk|rk)_test_\w+")
_SHOWN_CHARACTERS = 8  # of a refused key: enough to see which kind it was, too few to use it


@dataclass(frozen=True)
class _Call:
    """A call that passed every check made before the idempotency look-up."""

    request: Request
    route: Route
    identifier: str
    sent: Document
    account_id: str
    request_id: str
    payment: str | None


class _Stopping(Exception):
    """The twin was told to stop while a call waited: the call is not executed any more."""


class StripeSide:
    """Answers ``/v1`` calls from the world, through the faults on order."""

    def __init__(
        self, world: World, faults: FaultBook, log: calls.CallLog, stopping: threading.Event
    ) -> None:
        self._world = world
        self._faults = faults
        self._log = log
        self._stopping = stopping

    def reply(self, request: Request) -> Reply:
        """One call from its arrival to what happens on the connection; logged on both ends."""
        request_id = new_id("req")
        payment = self._payment_of(request)
        with self._world.change():
            call = self._log.begin(request, request_id, self._world.clock.now())
            self._count(request, replays=0)
        orders = self._faults.take(request.method, request.path, payment)
        call["fault"] = orders.kind
        try:
            reply = self._reply_through(orders, request, request_id, payment)
        except _Stopping:
            reply = Reply(None, "close")
        sent = reply.answer
        call["status"] = sent.status if sent is not None else "dropped"
        call["replayed"] = sent is not None and "Idempotent-Replayed" in sent.headers
        return reply

    def _reply_through(self, orders: Orders, request: Request, request_id: str, payment: str | None) -> Reply:
        headers = _usual_headers(request, request_id)
        if orders.kind is not None and orders.stops_before_execution:
            self._wait(orders, orders.seconds_before)
            return instead_of_executing(orders.kind, request, headers)
        try:
            call = self._checked(request, request_id, payment)
            if request.method == "POST":
                answer = self._write(call, orders, headers)
            else:
                self._wait(orders, orders.seconds_before)
                answer = self._execute(call, orders, headers)
        except Refusal as refusal:
            return Reply(refused(refusal, headers))
        self._wait(orders, orders.seconds_after)
        return after_executing(orders.kind, answer)

    def _checked(self, request: Request, request_id: str, payment: str | None) -> _Call:
        """Everything that Stripe looks at before the idempotency key; its refusals are never saved."""
        account_id = account_of_key(_authenticated(request))
        if request.headers.get("stripe-account"):
            raise errors.wrong_account(request.headers["stripe-account"])
        if len(request.idempotency_key or "") > idempotency.KEY_CHARACTERS:
            raise Refusal(400, f"Idempotency keys have at most {idempotency.KEY_CHARACTERS} characters.")
        route, identifier = route_of(request.method, request.path)
        sent = parameters.checked(parameters.tree(request.form()), route.takes)
        if route.id_is:
            sent[route.id_is] = identifier
        check_present(route, sent)
        expansion.check_paths(route.shape, sent.get("expand", []))
        return _Call(request, route, identifier, sent, account_id, request_id, payment)

    def _write(self, call: _Call, orders: Orders, headers: dict[str, str]) -> Answer:
        """A POST: claims its key, locks its payment, executes once, saves the answer under the key."""
        key = call.request.idempotency_key
        with self._claimed(call, key) as replay:
            if replay is not None:
                self._wait(orders, orders.seconds_before)
                return self._replayed(call.request, replay, headers)
            with self._locked(call.payment):
                # The wait is part of the execution: a second call meets the key and the lock meanwhile.
                self._wait(orders, orders.seconds_before)
                return self._execute(call, orders, headers)

    def _execute(self, call: _Call, orders: Orders, headers: dict[str, str]) -> Answer:
        key = call.request.idempotency_key
        with self._world.change():
            work = Work(self._world, self._world.account(call.account_id), call.request_id, key)
            executed = {"Stripe-Should-Retry": "false"} if key else {}
            try:
                answer = json_answer(200, self._done(work, call, orders))
            except Refusal as refusal:
                answer = json_answer(refusal.status, refusal.body, refusal.headers)
            if orders.kind == "error_500_after":
                answer = json_answer(500, errors.backend_failed().body)
            answer = Answer(answer.status, answer.body, {**answer.headers, **executed})
            if key:
                idempotency.save(work, call.request, key, answer)
        return Answer(answer.status, answer.body, {**headers, **answer.headers})

    def _done(self, work: Work, call: _Call, orders: Orders) -> Document:
        sent = {name: value for name, value in call.sent.items() if name != "expand"}
        if orders.kind == "overrun" and {"charge", "amount"} <= call.route.takes.keys():
            document = refunds.create(work, sent, overrun=True)
        else:
            document = call.route.run(work, call.identifier, sent)
        return expansion.expanded(work.account, document, call.sent.get("expand", []))

    def _replayed(self, request: Request, replay: idempotency.Replay, headers: dict[str, str]) -> Answer:
        with self._world.change():
            self._count(request, replays=1)
        marks = {"Idempotent-Replayed": "true", "Original-Request": replay.original_request}
        return Answer(replay.answer.status, replay.answer.body, {**headers, **replay.answer.headers, **marks})

    @contextmanager
    def _claimed(self, call: _Call, key: str | None) -> Iterator[idempotency.Replay | None]:
        """Holds the key while the request runs. A refusal to give it leaves the first holder alone."""
        if key is None:
            yield None
            return
        with self._world.change():
            work = Work(self._world, self._world.account(call.account_id), call.request_id, key)
            replay = idempotency.claim(work, call.request, key)
        try:
            yield replay
        finally:
            if replay is None:
                with self._world.change():
                    idempotency.let_go(work, key)

    @contextmanager
    def _locked(self, payment: str | None) -> Iterator[None]:
        """Stripe locks an object while it changes; a second write does not wait (STRIPE.md §6)."""
        with self._world.change():
            if payment in self._world.locked_payments:
                raise errors.locked()
            if payment is not None:
                self._world.locked_payments.add(payment)
        try:
            yield
        finally:
            with self._world.change():
                self._world.locked_payments.discard(payment or "")

    def _payment_of(self, request: Request) -> str | None:
        """The payment that a call speaks of, in its path or its parameters."""
        named = [value for name, value in request.form() if name in {"payment_intent", "charge"}]
        with self._world.change():
            found = (self._world.payment_of(name) for name in [*named, *request.path.split("/")[3:]])
            return next((payment for payment in found if payment is not None), None)

    def _count(self, request: Request, *, replays: int) -> None:
        """Counts the key, even when a fault or a refusal will stop the call."""
        if request.idempotency_key:
            account = self._world.account(account_of_key(_sent_key(request) or ""))
            calls.count_key(account, request.idempotency_key, calls=1 - replays, replays=replays)

    def _wait(self, orders: Orders, seconds: float) -> None:
        if seconds and orders.taken_back.wait(seconds) and self._stopping.is_set():
            raise _Stopping


def _usual_headers(request: Request, request_id: str) -> dict[str, str]:
    headers = {
        "Request-Id": request_id,
        "Stripe-Version": request.headers.get("stripe-version", API_VERSION),
    }
    if request.idempotency_key:
        headers |= {"Idempotency-Key": request.idempotency_key, "Original-Request": request_id}
    return headers


def _sent_key(request: Request) -> str | None:
    """The API key: ``Bearer key``, or the user name of basic authentication."""
    scheme, _, credentials = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return credentials.strip() or None
    if scheme.lower() == "basic":
        try:
            return base64.b64decode(credentials).decode().partition(":")[0] or None
        except (binascii.Error, UnicodeDecodeError):
            return None
    return None


def _authenticated(request: Request) -> str:
    key = _sent_key(request)
    if key is None:
        raise errors.no_key()
    if not _TEST_KEY.fullmatch(key):
        raise errors.invalid_key(key if len(key) <= _SHOWN_CHARACTERS else f"{key[:_SHOWN_CHARACTERS]}***")
    return key
