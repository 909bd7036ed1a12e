"""The environment in which a storm takes place: its keys, limits and payments."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Final

from governor.bootstrap import Application
from governor.cli.twin import TwinControl
from governor.domain.credentials import Kind, Role
from governor.domain.environments import Mode
from governor.domain.limits import Measure, Scope
from governor.domain.windows import WindowKind
from governor.usecases.callers import host
from governor.usecases.change_environment import EnvironmentDraft
from governor.usecases.change_limit import LimitDraft
from governor.usecases.credential_drafts import CredentialDraft

ENVIRONMENT: Final = "storm"
RATE_PER_SECOND: Final = 100
APPROVAL_SECONDS: Final = 7 * 24 * 3600

PEOPLE: Final = {
    "agent-1": (Role.AGENT, Kind.PROGRAM, "ada"),
    "agent-2": (Role.AGENT, Kind.PROGRAM, "ben"),
    "agent-3": (Role.AGENT, Kind.PROGRAM, "ben"),
    "approver-1": (Role.APPROVER, Kind.HUMAN, "carla"),
    "approver-2": (Role.APPROVER, Kind.HUMAN, "dan"),
    "operator-1": (Role.OPERATOR, Kind.HUMAN, "eve"),
    "operator-2": (Role.OPERATOR, Kind.HUMAN, "finn"),
}
"""Name of a key → role, kind and the person who holds it."""

_LIMITS: Final = (
    (Scope.ENVIRONMENT, WindowKind.DAY, 5_000_000, None),
    (Scope.CUSTOMER, WindowKind.DAY, 40_000, 700),
    (Scope.AGENT, WindowKind.MONTH, 2_000_000, None),
    (Scope.PAYMENT, WindowKind.LIFETIME, 12_000, None),
)
"""Scope, window, cap, and the amount of one refund above which people are asked, in each currency with limits."""

_CURRENCIES: Final = ("usd", "usd", "usd", "eur", "gbp")
"""Of the payments, in turn. Nothing is allowed in the last one, which has no limit."""

_CARDS: Final = (
    "pm_card_visa",
    "pm_card_visa",
    "pm_card_visa",
    "pm_card_pendingRefund",
    "pm_card_refundFail",
)
"""Refunds of the last two are pending first, or succeed and then fail at the bank."""
_DISPUTED_EVERY: Final = 20


def settle(
    app: Application, twin: TwinControl, payments: int, chance: Random
) -> tuple[Mapping[str, str], tuple[tuple[str, str], ...]]:
    """Found it; returns the secret of each key, and the payments with their currencies."""
    draft = EnvironmentDraft(Mode.ENFORCE, RATE_PER_SECOND, APPROVAL_SECONDS)
    account = app.change_environment.found(ENVIRONMENT, draft).account
    keys = {}
    for name, (role, kind, owner) in PEOPLE.items():
        keys[name] = app.manage_credentials.found(ENVIRONMENT, CredentialDraft(name, role, kind, owner))[1]
    for currency in ("usd", "eur"):
        for scope, window, cap, above in _LIMITS:
            limit = LimitDraft(scope, None, Measure.AMOUNT, currency, window, None, "UTC", cap, above)
            app.change_limit.create(host(ENVIRONMENT), limit, f"storm-{scope}-{currency}")
    return keys, tuple(_payment(twin, account, n, chance) for n in range(payments))


def _payment(twin: TwinControl, account: str, number: int, chance: Random) -> tuple[str, str]:
    currency = _CURRENCIES[number % len(_CURRENCIES)]
    disputed = (number + 1) % _DISPUTED_EVERY == 0
    card = "pm_card_createDispute" if disputed else chance.choice(_CARDS)
    customer = f"cus_storm{number % _DISPUTED_EVERY}"
    amount = chance.randint(5_000, 30_000)
    return twin.payment(amount, currency, account=account, customer=customer, card=card), currency
