"""A world to measure in: a PostgreSQL with durable commits, one environment, limits, keys and payments."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.sql.migrate import upgrade
from governor.bootstrap import Application, build
from governor.domain.admission import PaymentBook
from governor.domain.credentials import Kind, Role
from governor.domain.environments import Mode
from governor.domain.limits import Measure, Scope
from governor.domain.outcome import Outcome, Reply
from governor.domain.payments import Dispute, PaymentFacts, ProviderRefund
from governor.domain.windows import WindowKind
from governor.ports.provider import ProviderAccount, RefundOrder
from governor.settings import Settings
from governor.usecases.callers import Caller
from governor.usecases.change_environment import EnvironmentDraft
from governor.usecases.change_limit import LimitDraft
from governor.usecases.manage_credentials import CredentialDraft

ENVIRONMENT = "bench"
PEPPER = "bench-pepper-bench-pepper-bench-pepper"
ACCOUNT = "acct_bench"
CAPTURED = 90_000_000


class AbsentProvider:
    """No provider: benches of the decision seed the facts and never send."""

    def read_account(self) -> ProviderAccount:
        """The account the bench environment is bound to."""
        return ProviderAccount(ACCOUNT, livemode=False)

    def read_payment(self, payment: str) -> PaymentFacts:
        """Every payment is seeded, so nobody asks."""
        raise LookupError(payment)

    def create_refund(self, order: RefundOrder, *, first: bool, deadline_seconds: float) -> Reply:  # noqa: ARG002  the port's signature
        """Nothing is sent."""
        return Reply(Outcome.UNKNOWN, "absent")

    def list_refunds(self, payment: str) -> tuple[ProviderRefund, ...]:
        """Nobody asks."""
        raise LookupError(payment)


@dataclass(frozen=True)
class World:
    """What the measuring processes need to build their own application."""

    database_url: str
    agent_key: str
    operator_key: str
    payments: tuple[str, ...]

    def context(self) -> dict[str, Any]:
        """As plain values, for a spawned process."""
        return {"database_url": self.database_url, "agent_key": self.agent_key, "payments": self.payments}


def application(database_url: str, *, pool: int = 4) -> Application:
    """An application on that database. Callers decide together, so few connections are enough."""
    settings = Settings(
        database_url=database_url,
        redis_url="redis://127.0.0.1:1",
        pepper=PEPPER,
        stripe_key="sk_test_bench",
        facts_max_age_seconds=3600,
        database_pool=pool,
    )
    return build(settings, provider=AbsentProvider())


@contextmanager
def world(*, limits: int = 4, payments: int = 2000, database_url: str | None = None) -> Iterator[World]:
    """A fresh world with `limits` limits that all apply: two hot for everybody, the others per payment or customer."""
    with _database(database_url) as url:
        upgrade(url)
        app = application(url)
        app.change_environment.found(ENVIRONMENT, EnvironmentDraft(Mode.ENFORCE, 1000, 3600))
        operator_key = _key(app, Role.OPERATOR)
        agent_key = _key(app, Role.AGENT)
        operator = app.authenticate(operator_key)
        for n in range(limits):
            app.change_limit.create(operator, _limit(n), f"bench-limit-{n}")
        ids = tuple(f"pi_bench{n:06d}" for n in range(payments))
        _seed(app, ids)
        app.engine.dispose()
        yield World(url, agent_key, operator_key, ids)


@contextmanager
def _database(database_url: str | None) -> Iterator[str]:
    if database_url is not None:
        yield database_url
        return
    with tempfile.TemporaryDirectory(prefix="governor-bench-") as folder:
        server = EmbeddedPostgres(Path(folder) / "postgres")
        server.start()
        try:
            yield server.url("governor")
        finally:
            server.stop()


_SHAPES = (
    (Scope.ENVIRONMENT, WindowKind.DAY),
    (Scope.AGENT, WindowKind.MONTH),
    (Scope.PAYMENT, WindowKind.LIFETIME),
    (Scope.CUSTOMER, WindowKind.DAY),
)


def _limit(n: int) -> LimitDraft:
    scope, window = _SHAPES[n % len(_SHAPES)]
    return LimitDraft(scope, None, Measure.AMOUNT, "usd", window, None, "UTC", 10**12 + n, None)


def _key(app: Application, role: Role) -> str:
    draft = CredentialDraft(f"bench-{role}", role, Kind.PROGRAM, f"owner-{role}")
    return app.manage_credentials.found(ENVIRONMENT, draft)[1]


def _seed(app: Application, payments: tuple[str, ...]) -> None:
    with app.store.environment(ENVIRONMENT) as tx:
        for n, payment in enumerate(payments):
            facts = PaymentFacts(
                payment=payment,
                account=ACCOUNT,
                currency="usd",
                captured_minor=CAPTURED,
                customer=f"cus_{n % 500}",
                livemode=False,
                refundable_status=True,
                dispute=Dispute.NONE,
                charge=f"ch_{n}",
                refunds=(),
                read_at=tx.now + timedelta(0),
            )
            tx.save_facts(facts, PaymentBook())


def agent(app: Application, context: dict[str, Any]) -> Caller:
    """The measuring caller."""
    return app.authenticate(context["agent_key"])
