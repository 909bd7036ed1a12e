"""A world to measure in: a PostgreSQL with durable commits, one environment, limits, keys and payments."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from pydantic import SecretStr
from sqlalchemy import create_engine, make_url, text

from adapters.embedded.postgres import EmbeddedPostgres
from adapters.sql.migrate import upgrade
from governor.bootstrap import Application, build
from governor.domain.credentials import Kind, Role
from governor.domain.environments import Mode
from governor.domain.limits import Measure, Scope
from governor.domain.outcome import Outcome, Reply
from governor.domain.payments import Dispute, PaymentFacts, ProviderRefund
from governor.domain.windows import WindowKind
from governor.ports.provider import PaymentProvider, ProviderAccount, ProviderEvent, RefundOrder
from governor.settings import Settings
from governor.usecases.callers import Caller, host
from governor.usecases.change_environment import EnvironmentDraft
from governor.usecases.change_limit import LimitDraft
from governor.usecases.credential_drafts import CredentialDraft

ENVIRONMENT = "bench"
PEPPER = "bench-pepper-bench-pepper-bench-pepper"
STRIPE_KEY = "sk_test_bench"
ACCOUNT = "acct_bench"
CAPTURED = 90_000_000
PAYMENTS = tuple(f"pi_bench{n:06d}" for n in range(2000))
FACTS_SECONDS = 3600
"""Facts stay young for the whole bench: it measures the decision, not the provider."""


class AgreeingProvider:
    """Says yes to every refund, at once: benches of the decision seed the facts and hardly ever send."""

    def read_account(self) -> ProviderAccount:
        """The account the bench environment is bound to."""
        return ProviderAccount(ACCOUNT, livemode=False)

    def read_payment(self, payment: str) -> PaymentFacts:
        """Every payment is seeded, so nobody asks."""
        raise LookupError(payment)

    def payment_of(self, charge: str) -> str:
        """Nobody asks."""
        raise LookupError(charge)

    def create_refund(self, order: RefundOrder, *, first: bool, deadline_seconds: float) -> Reply:  # noqa: ARG002  the port's signature
        """Accepted, and final."""
        refund = ProviderRefund(
            f"re_{order.request_id}",
            order.payment,
            order.amount_minor,
            order.currency,
            "succeeded",
            order.request_id,
        )
        return Reply(Outcome.ACCEPTED, "succeeded", refund=refund, kept=True, http_status=200)

    def list_refunds(self, payment: str) -> tuple[ProviderRefund, ...]:
        """Nobody asks."""
        raise LookupError(payment)

    def list_refunds_since(self, since: datetime) -> tuple[ProviderRefund, ...]:
        """Nobody asks."""
        raise LookupError(since)

    def list_events_since(self, since: datetime) -> tuple[ProviderEvent, ...]:
        """Nobody asks."""
        raise LookupError(since)


@dataclass(frozen=True)
class World:
    """What the measuring processes need to build their own application."""

    database_url: str
    environment: str
    agent_key: str
    payments: tuple[str, ...]

    def context(self) -> dict[str, Any]:
        """As plain values, for a spawned process."""
        return {"database_url": self.database_url, "agent_key": self.agent_key, "payments": self.payments}


def settings(database_url: str, redis_url: str = "redis://127.0.0.1:1", **fields: Any) -> Settings:  # noqa: ANN401  any setting
    """The settings of every process of a bench."""
    given = {"database_url": database_url, "redis_url": redis_url, "pepper": PEPPER, "stripe_key": STRIPE_KEY}
    return Settings.model_validate(
        {"facts_max_age_seconds": FACTS_SECONDS, "calls_per_minute": 0, **given, **fields}
    )


def as_variables(of: Settings) -> dict[str, str]:
    """Settings as the environment variables from which a process reads them; what was not set stays unset."""
    asked = {name: getattr(of, name) for name in of.model_fields_set}
    given = {name: value for name, value in asked.items() if value is not None}
    return {
        f"GOVERNOR_{name.upper()}": value.get_secret_value() if isinstance(value, SecretStr) else str(value)
        for name, value in given.items()
    }


def application(database_url: str, *, pool: int = 4, provider: PaymentProvider | None = None) -> Application:
    """An application on that database. Callers decide together, so few connections are enough."""
    return build(settings(database_url, database_pool=pool), provider=provider or AgreeingProvider())


@contextmanager
def database(database_url: str | None = None) -> Iterator[str]:
    """The URL of a migrated database: the named one, or one of an own server that is gone afterwards."""
    if database_url is not None:
        upgrade(database_url)
        yield database_url
        return
    with tempfile.TemporaryDirectory(prefix="governor-bench-") as folder:
        server = EmbeddedPostgres(Path(folder) / "postgres")
        server.start()
        try:
            upgrade(server.url())
            yield server.url()
        finally:
            server.stop()


@contextmanager
def second_database(beside: str, name: str) -> Iterator[str]:
    """Another migrated database on the same server; dropped at the end, when whoever used it has left.

    Not by force: an ordinary role may not end an autovacuum worker, and PostgreSQL itself sends that one away.
    """
    engine = create_engine(beside, isolation_level="AUTOCOMMIT")
    try:
        with engine.connect() as connection:
            connection.execute(text(f'CREATE DATABASE "{name}"'))
        try:
            url = make_url(beside).set(database=name).render_as_string(hide_password=False)
            upgrade(url)
            yield url
        finally:
            with engine.connect() as connection:
                connection.execute(text(f'DROP DATABASE "{name}"'))
    finally:
        engine.dispose()


def found(
    app: Application,
    *,
    limits: int = 4,
    environment: str = ENVIRONMENT,
    payments: Sequence[str] = PAYMENTS,
    rate: int = 1000,
) -> World:
    """An environment with `limits` limits that all apply, a key, and the facts of its payments."""
    made = app.change_environment.found(environment, EnvironmentDraft(Mode.ENFORCE, rate, 3600))
    draft = CredentialDraft("bench-agent", Role.AGENT, Kind.PROGRAM, "bench-owner")
    key = app.manage_credentials.found(environment, draft)[1]
    for n in range(limits):
        app.change_limit.create(host(environment), _limit(n), f"bench-limit-{n}")
    _seed(app, environment, made.account, payments)
    return World(app.settings.database_url.get_secret_value(), environment, key, tuple(payments))


_SHAPES = (
    (Scope.ENVIRONMENT, WindowKind.DAY),
    (Scope.AGENT, WindowKind.MONTH),
    (Scope.PAYMENT, WindowKind.LIFETIME),
    (Scope.CUSTOMER, WindowKind.DAY),
)
"""Two that everybody wants and two that spread, over and over."""


def _limit(n: int) -> LimitDraft:
    scope, window = _SHAPES[n % len(_SHAPES)]
    return LimitDraft(scope, None, Measure.AMOUNT, "usd", window, None, "UTC", 10**12 + n, None)


def _seed(app: Application, environment: str, account: str, payments: Sequence[str]) -> None:
    with app.store.environment(environment) as tx:
        for n, payment in enumerate(payments):
            facts = PaymentFacts(
                payment=payment,
                account=account,
                currency="usd",
                captured_minor=CAPTURED,
                customer=f"cus_{n % 500}",
                livemode=False,
                refundable_status=True,
                dispute=Dispute.NONE,
                charge=f"ch_{n}",
                refunds=(),
                read_at=tx.now,
            )
            tx.save_facts(facts)


def agent(app: Application, context: dict[str, Any]) -> Caller:
    """The measuring caller."""
    return app.authenticate(context["agent_key"])
