"""A small world to tell a story in: an application on real servers, one environment, keys, limits, payments.

    world = World(database_url, redis_url, provider=twin)
    limit = world.limit(2000)
    agent = world.caller()
    request = world.request(agent, world.payment(5000), 1500)
    world.drain(request)
    world.writes()                      # what the provider really did

`provider` is a running twin, reached over HTTP by the real adapter, or a fake in memory. Every world is
closed by `close`, and judged by tests/books.py when its test is over.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import Any

from governor.bootstrap import Application, build
from governor.domain.admission import Ask
from governor.domain.approval import Ballot, Choice
from governor.domain.credentials import Kind, Role
from governor.domain.environments import Mode
from governor.domain.limits import Limit, Measure, Scope
from governor.domain.requests import RefundRequest
from governor.domain.resolutions import Ending
from governor.domain.seen import AsSeen
from governor.domain.windows import WindowKind
from governor.settings import Settings
from governor.usecases.callers import Caller
from governor.usecases.change_environment import EnvironmentDraft
from governor.usecases.change_limit import LimitDraft
from governor.usecases.credential_drafts import CredentialDraft
from governor.usecases.replay import Answer
from governor.usecases.resolve_unknown import Resolution
from tests.fakes.provider import FakeProvider
from tests.twin import Twin
from workers.drain import drain

PEPPER = "tests-pepper-tests-pepper-tests-pepper"
STRIPE_KEY = "sk_test_Stories1"
FAST = 1000
"""Provider calls a second: so many that no story waits for a token. Stripe's own rate has its own test."""

_numbers = count(1)


def fresh_key(word: str = "op") -> str:
    """An operation key that nobody has used."""
    return f"{word}-{next(_numbers):08d}"


def settings(database_url: str, redis_url: str, **fields: Any) -> Settings:
    """Settings as a process would read them."""
    given = {"database_url": database_url, "redis_url": redis_url, "pepper": PEPPER, "stripe_key": STRIPE_KEY}
    return Settings.model_validate({"database_pool": 8, "calls_per_minute": 0, **given, **fields})


def application(
    database_url: str, redis_url: str, provider: Twin | FakeProvider, **fields: Any
) -> Application:
    """The application as every process builds it; with the twin, over sockets and the real adapter."""
    if isinstance(provider, Twin):
        return build(settings(database_url, redis_url, provider_url=provider.url, **fields))
    nowhere = settings(database_url, redis_url, provider_url="http://127.0.0.1:1", **fields)
    app = build(nowhere, provider=provider)
    provider.now = app.store.now
    return app


def close(app: Application) -> None:
    """Give back every connection an application holds."""
    app.engine.dispose()
    app.doorbell._connection.close()


def ask(payment: str, amount: int | None, currency: str = "usd", **fields: str) -> Ask:
    """What a caller asks for; `fields`: reason, case (in its canonical form), note, duplicate_of."""
    given: dict[str, str | None] = {"reason": None, "case": None, "note": None, "duplicate_of": None}
    return Ask(payment, amount, currency, **(given | fields))


def limit_draft(
    cap: int,
    *,
    scope: Scope = Scope.ENVIRONMENT,
    value: str | None = None,
    measure: Measure = Measure.AMOUNT,
    currency: str | None = "usd",
    window: WindowKind = WindowKind.DAY,
    days: int | None = None,
    zone: str = "UTC",
    approval_above: int | None = None,
) -> LimitDraft:
    """A limit as an operator would draft it; a count limit has no currency, whatever the default is."""
    currency = currency if measure is Measure.AMOUNT else None
    return LimitDraft(scope, value, measure, currency, window, days, zone, cap, approval_above)


@dataclass
class World:
    """One environment and everything around it."""

    database_url: str
    redis_url: str
    provider: Twin | FakeProvider
    environment: str = "test"
    rate_per_second: int = FAST
    approval_seconds: int = 3600
    undo_seconds: int = 0
    mode: Mode = Mode.ENFORCE
    dev_clock: Path | None = None
    facts_max_age_seconds: int = 60
    provider_breaks_its_rules: bool = False
    """Set by a story in which the provider executes more than was asked: its amounts cannot match ours."""
    database_forgets: bool = False
    """Set by a story in which the database loses what it had acknowledged: what the provider did shows it again."""
    app: Application = field(init=False)

    def __post_init__(self) -> None:
        self.app = self.another_process()
        draft = EnvironmentDraft(self.mode, self.rate_per_second, self.approval_seconds)
        self.app.change_environment.found(self.environment, replace(draft, undo_seconds=self.undo_seconds))
        self.operator = self.caller(Role.OPERATOR, "operator", kind=Kind.HUMAN)

    def another_process(self, **fields: Any) -> Application:
        """An application of its own on the same servers, as another process has it; to be closed by the caller."""
        given: dict[str, Any] = {
            "database_url": self.database_url,
            "redis_url": self.redis_url,
            "dev_clock": self.dev_clock,
            "facts_max_age_seconds": self.facts_max_age_seconds,
        }
        return application(provider=self.provider, **(given | fields))

    def close(self) -> None:
        """Give back every connection."""
        close(self.app)

    # Who there is

    def key(
        self,
        role: Role = Role.AGENT,
        name: str = "agent",
        *,
        owner: str | None = None,
        agent: str | None = None,
        kind: Kind = Kind.PROGRAM,
    ) -> str:
        """A new key; its owner is a person of their own unless one is named."""
        draft = CredentialDraft(name, role, kind, owner or f"owner of {name}", agent)
        return self.app.manage_credentials.found(self.environment, draft)[1]

    def caller(self, role: Role = Role.AGENT, name: str = "agent", **fields: Any) -> Caller:
        """A new key, authenticated; `fields` as for `key`."""
        return self.app.authenticate(self.key(role, name, **fields))

    def approver(self, name: str = "approver", **fields: Any) -> Caller:
        """A human approver."""
        return self.caller(Role.APPROVER, name, kind=Kind.HUMAN, **fields)

    # What there is

    def limit(self, cap: int, **fields: Any) -> Limit:
        """A new limit; `fields` as for `limit_draft`."""
        return self.app.change_limit.create(self.operator, limit_draft(cap, **fields), fresh_key("limit"))[0]

    def change_cap(self, limit: Limit, cap: int) -> Limit:
        """The limit with another cap."""
        kept = {name: getattr(limit, name) for name in LimitDraft.__dataclass_fields__}
        draft = LimitDraft(**(kept | {"cap": cap}))
        return self.app.change_limit.update(self.operator, limit.id, draft, AsSeen(limit.revision))

    def payment(self, amount: int = 5000, currency: str = "usd", customer: str | None = None) -> str:
        """A captured payment."""
        if isinstance(self.provider, FakeProvider):
            return self.provider.add_payment(captured_minor=amount, currency=currency, customer=customer)
        named = {} if customer is None else {"customer": customer}
        return self.provider.payment(amount, currency, **named)

    # What happens

    def answer(
        self, caller: Caller, asked: Ask, key: str | None = None, *, app: Application | None = None
    ) -> Answer:
        """Request a refund, here or in another process's application."""
        return (app or self.app).request_refund(caller, asked, key or fresh_key(), None)

    def request(
        self,
        caller: Caller,
        payment: str,
        amount: int | None,
        *,
        app: Application | None = None,
        **fields: Any,
    ) -> RefundRequest:
        """Request a refund under a new key; the request as recorded. `fields` as for `ask`."""
        return self.answer(caller, ask(payment, amount, **fields), app=app).request

    def decide(
        self, approver: Caller, request: RefundRequest, choice: Choice, *, amount: int | None = None
    ) -> RefundRequest:
        """Decide a request's hold as somebody who has just looked at it."""
        hold, _ = self.app.queries.hold(approver, request.hold or "")
        ballot = Ballot(choice, hold.digest, hold.version, f"{choice}, I looked", amount)
        return self.app.decide_hold(approver, hold.id, ballot, fresh_key("vote"))

    def resolve(
        self, person: Caller, request: RefundRequest, outcome: Ending, reason: str = "looked it up"
    ) -> Resolution:
        """One person says how a request in doubt ended."""
        return self.app.resolve_unknown(person, request.id, outcome, reason, fresh_key("resolution"))

    def drain(self, request: RefundRequest) -> int:
        """Do what a worker does when it is rung for this request; returns how many calls were made."""
        return drain(self.app, request.id)

    def now(self, request: RefundRequest) -> RefundRequest:
        """A request as it stands now."""
        return self.app.queries.request(self.operator, request.id)

    def headroom(self, limit: Limit, value: str | None = None) -> int:
        """What the newest counter of a limit (of one value) has left; the cap when none is born."""
        rows = [
            row
            for row in self.app.queries.counters(self.operator, limit.id)
            if value in {None, row.row.value}
        ]
        cap = self.app.queries.limit(self.operator, limit.id).cap
        return cap - rows[0].row.settled - rows[0].row.reserved if rows else cap

    def writes(self, payment: str | None = None) -> list[dict[str, Any]]:
        """Every refund that the twin really executed."""
        assert isinstance(self.provider, Twin)
        return self.provider.writes(payment)

    def advance(self, seconds: float) -> None:
        """Move governor's clock (not the database's, nor the twin's) by so many seconds from real time."""
        assert self.dev_clock is not None, "this world was built without a development clock"
        self.dev_clock.write_text(str(seconds), encoding="ascii")

    def travel_to(self, instant: str) -> None:
        """Set governor's clock to an ISO 8601 instant with its offset; from there it goes on."""
        self.advance(0)
        self.advance((datetime.fromisoformat(instant) - self.app.store.now()).total_seconds())
