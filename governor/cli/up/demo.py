"""The demo data of `governor up`: an environment, keys and people of every role, limits, and payments to refund."""

from __future__ import annotations

import secrets
from typing import Final, NamedTuple

from pydantic import SecretStr

from governor.bootstrap import Application, build
from governor.cli.twin import TwinControl
from governor.cli.up.data_folder import Demo
from governor.cli.up.stack import SANDBOX_KEY
from governor.domain.approval import DEFAULT_EXPIRY
from governor.domain.credentials import Kind, Role
from governor.domain.environments import Environment, Mode
from governor.domain.limits import Measure, Scope
from governor.domain.rules import Conditions, Consequence, RuleEffect, RuleMode
from governor.domain.windows import WindowKind
from governor.settings import Settings
from governor.usecases.callers import host
from governor.usecases.change_environment import TEST_RATE_PER_SECOND, EnvironmentDraft
from governor.usecases.change_limit import LimitDraft
from governor.usecases.credential_drafts import CredentialDraft
from governor.usecases.grant_membership import MembershipDraft
from governor.usecases.rule_drafts import RuleDraft

ENVIRONMENT: Final = "test"
_MARK: Final = "governor_demo"
"""The metadata that tells the demo's own payments from any other, so that making them twice is making them once."""


class _Person(NamedTuple):
    """Who holds one demo key and signs in with the same role.

    Different owners, because nobody decides a request of their own.
    """

    role: Role
    kind: Kind
    owner: str


_KEYS: Final = {
    "agent": _Person(Role.AGENT, Kind.PROGRAM, "ada"),
    "agent_2": _Person(Role.AGENT, Kind.PROGRAM, "ben"),
    "approver": _Person(Role.APPROVER, Kind.HUMAN, "carla"),
    "approver_2": _Person(Role.APPROVER, Kind.HUMAN, "dan"),
    "operator": _Person(Role.OPERATOR, Kind.HUMAN, "eve"),
    "operator_2": _Person(Role.OPERATOR, Kind.HUMAN, "finn"),
    "auditor": _Person(Role.AUDITOR, Kind.HUMAN, "gita"),
}


_DAY_CAPS: Final = {
    "usd": 100_000,
    "eur": 100_000,
    "gbp": 100_000,
    "jpy": 100_000,
    "kwd": 1_000_000,
    "isk": 10_000_000,
}
"""What may leave in one currency in a day, in minor units by Stripe's exponents."""

_CARDS: Final = ("pm_card_visa", "pm_card_mastercard", "pm_card_amex")
_DAY: Final = 86_400
"""In seconds: the payments are from the last two months, as those that are refunded are."""

_LARGE_MINOR: Final = 20_000
"""From 200.00 USD on, a refund asks for approval: two of the payments below are larger."""

PAYMENTS: Final = (
    *(("usd", amount) for amount in (5_000, 12_500, 2_000, 30_000, 60_000, 7_999, 4_200, 9_900)),
    *(("eur", amount) for amount in (5_000, 12_500, 25_000)),
    *(("gbp", amount) for amount in (5_000, 12_500, 25_000)),
    *(("jpy", amount) for amount in (9_899, 30_000)),
    *(("kwd", amount) for amount in (50_000, 300_000)),
    *(("isk", amount) for amount in (500_000, 3_000_000)),
)
"""Currency and amount in minor units of each payment, in the order of `Demo.payments`."""


def ensure(*, database_url: str, redis_url: str, sandbox_url: str, pepper: str) -> Demo:
    """Make what is missing of the demo.

    Keys and passwords cannot be read back, so each call hands out new ones and ends the old.

    Raises:
        GovernorError: the database or the sandbox could not do it.
    """
    settings = Settings(
        database_url=SecretStr(database_url),
        redis_url=SecretStr(redis_url),
        pepper=SecretStr(pepper),
        stripe_key=SecretStr(SANDBOX_KEY),
        provider_url=sandbox_url,
    )
    app = build(settings)
    try:
        environment = _environment(app)
        keys = {name: _key(app, name, person) for name, person in _KEYS.items()}
        passwords = {person.owner: _password(app, person) for person in _KEYS.values()}
        _make_limits(app)
        _make_rule(app)
        return Demo(keys, _payments(sandbox_url, environment.account), passwords)
    finally:
        app.engine.dispose()


def _environment(app: Application) -> Environment:
    with app.store.reading() as reads:
        found = reads.environment_named(ENVIRONMENT)
    if found is not None:
        return found
    draft = EnvironmentDraft(Mode.ENFORCE, TEST_RATE_PER_SECOND, int(DEFAULT_EXPIRY.total_seconds()))
    return app.change_environment.found(ENVIRONMENT, draft)


def _key(app: Application, name: str, person: _Person) -> str:
    """A new key under the demo's name for it; an older one of that name, lost with its folder, opens nothing more."""
    named = f"demo-{name}"
    for _, credential in app.queries.credentials(host(ENVIRONMENT)):
        if credential.name == named and credential.revoked_at is None:
            app.manage_credentials.revoke(host(ENVIRONMENT), credential.id)
    draft = CredentialDraft(named, person.role, person.kind, person.owner)
    return app.manage_credentials.found(ENVIRONMENT, draft)[1]


def _password(app: Application, person: _Person) -> str:
    """A new password for this person, who is made if need be and has the role of their key."""
    people, login, password = app.people, person.owner, secrets.token_urlsafe(12)
    if login in {one.login for one in people.manage.everybody()}:
        people.manage.set_password(login, password)
    else:
        people.manage.create(login, login.title(), password)
    # The key makes a second call a replay, whatever became of the membership since.
    people.grant(host(ENVIRONMENT), MembershipDraft(login, person.role), f"demo-membership-{login}")
    return password


def _make_limits(app: Application) -> None:
    for currency, cap in _DAY_CAPS.items():
        draft = LimitDraft(
            scope=Scope.ENVIRONMENT,
            value=None,
            measure=Measure.AMOUNT,
            currency=currency,
            window=WindowKind.DAY,
            window_days=None,
            time_zone="UTC",
            cap=cap,
            approval_above=None,
        )
        # The key makes a second call a replay, whatever became of the limit since.
        app.change_limit.create(host(ENVIRONMENT), draft, f"demo-day-{currency}")


def _payments(sandbox_url: str, account: str) -> list[str]:
    """The demo's payments in their order; five customers have four each."""
    with TwinControl(sandbox_url) as twin:
        known = {
            intent["metadata"][_MARK]: str(intent["id"])
            for intent in twin.payments(SANDBOX_KEY)
            if _MARK in intent["metadata"]
        }
        for number, (currency, amount) in enumerate(PAYMENTS):
            if str(number) not in known:
                known[str(number)] = twin.payment(
                    amount,
                    currency,
                    account=account,
                    customer=f"cus_demo{number % 5 + 1}",
                    card=_CARDS[number % len(_CARDS)],
                    age_seconds=(1 + number * 3) * _DAY,
                    metadata={_MARK: str(number)},
                )
    return [known[str(number)] for number in range(len(PAYMENTS))]


def _make_rule(app: Application) -> None:
    """Large refunds wait for somebody, so that approvers have something to look at."""
    draft = RuleDraft(
        "Large refunds",
        RuleMode.ENFORCE,
        None,
        Conditions(currency="usd", amount_at_least=_LARGE_MINOR),
        Consequence(RuleEffect.APPROVAL, quorum=1),
    )
    app.rules.change.create(host(ENVIRONMENT), draft, "demo-rule-large")
