"""Limits in effect: every limit that counts a refund of somebody or something now, and where its cap comes from.

The lines are those that an admission would decide by: the same choice of limits, the same counters, the same sums.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from governor.domain.credentials import Credential, Role
from governor.domain.errors import invalid
from governor.domain.freezes import Freeze
from governor.domain.limit_lines import LimitLine, Origin, line_of, most_at_once, narrowest, origin_of
from governor.domain.limits import Limit, Scope, Subject, charges_for
from governor.ports.reads import Reads
from governor.ports.store import Transaction, UnitOfWork
from governor.usecases.callers import Caller
from governor.usecases.expire_holds import expire_due
from governor.usecases.look_at_payment import LookAtPayment, LookedAt


@dataclass(frozen=True)
class About:
    """Whose refund is asked about; what is None is not named. A key stands for its agent, a payment for its customer."""

    credential: str | None = None
    agent: str | None = None
    customer: str | None = None
    payment: str | None = None
    case: str | None = None


@dataclass(frozen=True)
class InCurrency:
    """What counts a refund in one currency, in the order in which admissions look at it.

    `most_minor` is the largest refund that all of it has room for, and `narrowest` the line that stops a larger one.
    `unnamed` are limits that count such a refund as well, for a value that was not named. `single` is how many more
    are set for one value of what was not named, and may count it, too.
    """

    currency: str
    most_minor: int
    lines: tuple[tuple[LimitLine, Origin], ...]
    narrowest: LimitLine | None
    unnamed: tuple[Limit, ...]
    single: int


@dataclass(frozen=True)
class InEffect:
    """The answer: about whom it is after all that is known of them, and what counts, currency by currency.

    `chain` is the key with those above it. `freezes` are those that stop a refund of this subject before any limit.
    """

    about: About
    chain: tuple[Credential, ...]
    payment: LookedAt | None
    freezes: tuple[Freeze, ...]
    currencies: tuple[InCurrency, ...]


@dataclass(frozen=True)
class LimitsInEffect:
    """Looking, always within the caller's environment. What time has ended is booked on the way, as admissions do."""

    store: UnitOfWork
    look_at_payment: LookAtPayment

    def __call__(self, caller: Caller, about: About, keys: frozenset[str] | None = None) -> InEffect:
        """What counts a refund of this subject now; no promise.

        `keys` are those that it could be of, where none is named: what is set for one of them is `unnamed`, too.

        Raises:
            NotFound: `payment_not_found`. Unavailable: `payment_facts_unavailable`.
            Invalid: a key that is not here or is no agent's, or an agent or a customer that is not the key's or the payment's.
        """
        payment = self.look_at_payment(caller, about.payment) if about.payment is not None else None
        with self.store.environment(caller.environment) as tx:
            expire_due(tx)
            chain = _chain(tx, tx.here.name, about.credential)
            about = _completed(about, chain, payment)
            limits = tuple(one for one in tx.active_limits() if not one.tally)
            found = {one.currency for one in limits if one.currency is not None}
            currencies = sorted(found) if payment is None else [payment.facts.currency]
            subjects = [_subject(tx.here.name, about, chain, currency) for currency in currencies]
            looks = tuple(_in_currency(tx, one, limits, payment, keys) for one in subjects)
            anybody = _subject(tx.here.name, about, chain, "")
            freezes = tuple(one for one in tx.freezes(tx.here.name) if one.covers(anybody))
        return InEffect(about, chain, payment, freezes, looks)


def lines_of(
    reads: Reads, subject: Subject, limits: tuple[Limit, ...], now: datetime
) -> tuple[LimitLine, ...]:
    """The arithmetic that a refund of this subject meets at `now`, before any amount is asked."""
    charges = charges_for(subject, 0, limits, now)
    usage = reads.usage(subject.environment, charges)
    return tuple(line_of(charge, usage) for charge in charges)


def _chain(reads: Reads, environment: str, credential: str | None) -> tuple[Credential, ...]:
    if credential is None:
        return ()
    chain = reads.credential_chains(environment, [credential]).get(credential, ())
    if not chain or chain[0].role is not Role.AGENT:
        raise invalid("/credential", "credential_unfit", "No agent here has this key.")
    return chain


def _completed(about: About, chain: Sequence[Credential], payment: LookedAt | None) -> About:
    """What the key and the payment say of the rest; what was named besides must be the same."""
    agent = chain[0].agent if chain else about.agent
    if about.agent not in {None, agent}:
        raise invalid("/agent", "agent_unfit", f"Refunds of this key count as {agent}.")
    customer = payment.facts.customer if payment is not None else about.customer
    if about.customer not in {None, customer}:
        whose = f"of {customer}" if customer is not None else "of no customer"
        raise invalid("/customer", "customer_unfit", f"This payment is {whose}.")
    return replace(about, agent=agent, customer=customer)


def _subject(environment: str, about: About, chain: Sequence[Credential], currency: str) -> Subject:
    return Subject(
        environment=environment,
        credentials=tuple(one.id for one in chain),
        agent=about.agent,
        customer=about.customer,
        payment=about.payment,
        case=about.case,
        currency=currency,
    )


def _in_currency(
    tx: Transaction,
    subject: Subject,
    limits: tuple[Limit, ...],
    payment: LookedAt | None,
    keys: frozenset[str] | None,
) -> InCurrency:
    now = tx.now
    lines = lines_of(tx, subject, limits, now)
    # A payment says whose it is: where it names no customer there is none to be named.
    open_scopes = {one for one in Scope if not subject.values(one)} - ({Scope.CUSTOMER} if payment else set())
    may_count = [
        one
        for one in limits
        if one.scope in open_scopes
        and one.currency in {None, subject.currency}
        and (keys is None or one.scope is not Scope.CREDENTIAL or one.value in {None, *keys})
    ]
    unnamed = tuple(
        one for one in may_count if one.value is None or (keys is not None and one.scope is Scope.CREDENTIAL)
    )
    return InCurrency(
        subject.currency,
        most_at_once(lines, payment.remaining_minor if payment is not None else None),
        tuple((line, origin_of(line, subject, now)) for line in lines),
        narrowest(lines),
        unnamed,
        len(may_count) - len(unnamed),
    )
