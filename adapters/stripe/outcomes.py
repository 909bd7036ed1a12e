"""Every reply Stripe can give to a refund, and what it proves: the table of STRIPE.md §2b.

Read `ROWS` from the top: the first row that fits decides, and what fits none is unknown. A *replay* is an
attempt made while an earlier one may have executed; an answer given before Stripe looks at the key then
proves nothing about that earlier attempt (STRIPE.md §2a). Only an answer that Stripe says it *kept* under the
key speaks for all attempts. Message texts decide nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import stripe

from adapters.stripe.facts import refund_from
from adapters.stripe.fields import UnreadableError
from adapters.stripe.signals import is_replayed, read_signals, request_id
from governor.domain.outcome import Alarm, Outcome, Reply

if TYPE_CHECKING:
    from collections.abc import Callable
    from collections.abc import Set as AbstractSet

    from adapters.stripe.signals import Signals
    from adapters.stripe.wire import Call
    from governor.domain.payments import ProviderRefund
    from governor.ports.provider import RefundOrder

    Fits = Callable[[Signals], bool]

_KNOWN_STATUSES = frozenset({"pending", "requires_action", "succeeded", "failed", "canceled"})
_PARAMETER = re.compile(r"parameters?_[a-z_]{1,60}")
_NOT_REFUNDABLE = ("charge_disputed", "refund_disputed_payment", "charge_not_refundable")
_WRONG_STATE_OR_ACCOUNT = frozenset(
    """payment_intent_unexpected_state intent_invalid_state charge_invalid_parameter amount_too_large
    amount_too_small invalid_charge_amount status_transition_invalid livemode_mismatch testmode_charges_only
    account_invalid platform_account_required secret_key_required""".split(),
)


@dataclass(frozen=True)
class Row:
    """One line of the table.

    `first`, `replay` and `kept` are the outcomes on a first attempt, on a replay, and on a replay whose
    answer Stripe kept under the key. A status of None is a call without a whole reply. `reason` may show the
    provider's code, but only where `fits` has recognised it: nothing that others write reaches a log.
    `wait` is how many seconds to leave Stripe alone when it named no number itself.
    """

    number: str
    surface: type[BaseException]
    statuses: AbstractSet[int | None]
    fits: Fits
    reason: str
    first: Outcome
    replay: Outcome = Outcome.UNKNOWN
    kept: Outcome = Outcome.UNKNOWN
    alarm: Alarm | None = None
    wait: int = 0


def _always(_: Signals) -> bool:
    return True


def _code(*codes: str) -> Fits:
    return lambda signals: signals.code in codes


def _refused(*codes: str) -> Fits:
    """The code is one of these, and it is proven that Stripe itself refused."""
    return lambda signals: signals.proven and signals.code in codes


def _amount_refused(signals: Signals) -> bool:
    """The over-refund has no code: a classifier by code alone calls the commonest refusal unknown (rule 2)."""
    return signals.proven and signals.code is None and signals.param == "amount"


def _parameter_code(signals: Signals) -> bool:
    return signals.proven and _PARAMETER.fullmatch(signals.code or "") is not None


def _other_parameter(signals: Signals) -> bool:
    param = signals.param or ""
    return signals.proven and signals.code is None and (param == "reason" or param.startswith("metadata"))


def _not_sent(signals: Signals) -> bool:
    return signals.not_sent


def _rate_limited(signals: Signals) -> bool:
    return signals.code == "rate_limit" or (signals.code is None and signals.rate_limited)


_S = stripe
_N, _E, _U = Outcome.REJECTED, Outcome.NOT_EXECUTED, Outcome.UNKNOWN
_PAUSE = Alarm.PAUSE_ENVIRONMENT

# fmt: off
ROWS: tuple[Row, ...] = (
    # number  SDK surface             HTTP       and                                  reason                   first replay kept
    Row("5",  _S.InvalidRequestError, {400, 404}, _refused("charge_already_refunded"), "{code}",                _N, _U, _N),
    Row("6",  _S.InvalidRequestError, {400, 404}, _amount_refused,                     "amount_refused",        _N, _U, _N),
    Row("7",  _S.InvalidRequestError, {400, 404}, _refused(*_NOT_REFUNDABLE),          "{code}",                _N, _U, _N),
    Row("8",  _S.InvalidRequestError, {400, 404}, _parameter_code,                     "{code}",                _N, _U, _U),
    Row("8",  _S.InvalidRequestError, {400, 404}, _other_parameter,                    "parameter_refused",     _N, _U, _U),
    Row("10", _S.InvalidRequestError, {400, 404}, _refused("resource_missing"),        "{code}",                _N, _U, _U, Alarm.CONFIGURATION),
    Row("11", _S.InvalidRequestError, {400, 404}, _refused(*_WRONG_STATE_OR_ACCOUNT),  "{code}",                _N, _U, _U),
    # 9 and 12 look alike: no code, no parameter. The caller reads the list before it believes them.
    Row("9",  _S.InvalidRequestError, {400, 404}, _always,                             "refused_without_proof", _U, _U, _U),
    Row("13", _S.IdempotencyError,    {400, 404}, _always,                             "idempotency_error",     _U, _U, _U, Alarm.IDENTITY_BROKEN),
    Row("14", _S.AuthenticationError, {401},      _always,                             "unauthorized",          _E, _U, _U, _PAUSE, 60),
    Row("15", _S.AuthenticationError, {None},     _always,                             "no_key",                _E, _U, _U, _PAUSE, 60),
    Row("16", _S.CardError,           {402},      _always,                             "{answer}",              _U, _U, _U),
    Row("17", _S.PermissionError,     {403},      _always,                             "forbidden",             _E, _U, _U, _PAUSE, 60),
    Row("18", _S.APIError,            {409},      _code("idempotency_key_in_use"),     "key_in_use",            _U, _U, _U),
    Row("21", _S.RateLimitError,      {429},      _rate_limited,                       "rate_limited",          _E, _U, _U, None, 2),
    Row("22", _S.RateLimitError,      {429},      _code("lock_timeout"),               "lock_timeout",          _E, _U, _U, None, 1),
    Row("23", _S.RateLimitError,      {400},      _code("rate_limit"),                 "rate_limited",          _E, _U, _U, None, 2),
    Row("29", _S.APIConnectionError,  {None},     _not_sent,                           "not_sent",              _E, _U, _U, None, 5),
    Row("30", _S.APIConnectionError,  {None},     _always,                             "{broken}",              _U, _U, _U),
    Row("3",  _S.APIError,            {200},      _always,                             "reply_not_json",        _U, _U, _U),
    Row("3",  UnicodeDecodeError,     {200},      _always,                             "reply_not_json",        _U, _U, _U),
    Row("4",  AttributeError,         {200},      _always,                             "reply_not_object",      _U, _U, _U),
    # 19, 20, 24 to 28, 33, 34 and all that nobody has thought of: see `_NOBODY_KNOWS`.
)
# fmt: on
_NOBODY_KNOWS = Row("34", Exception, frozenset(), _always, "{answer}", _U, _U, _U)


def classify_failure(call: Call, failure: Exception, *, first: bool) -> Reply:
    """What a call proves that raised instead of showing a refund. The default is that we do not know."""
    signals = read_signals(call, failure)
    row = next((row for row in ROWS if _matches(row, signals)), _NOBODY_KNOWS)
    # An answer that Stripe calls a replay was not the first, whatever we believed.
    outcome = row.kept if signals.replayed else row.first if first else row.replay
    return Reply(
        outcome,
        row.reason.format(code=signals.code, answer=signals.answer, broken=signals.broken),
        signals.status,
        signals.request_id,
        replayed=signals.replayed,
        kept=signals.replayed and signals.status in {400, 404},
        alarm=row.alarm,
        retry_after_seconds=_wait(row, signals) if outcome is Outcome.NOT_EXECUTED else 0,
    )


def classify_answer(call: Call, answer: object, order: RefundOrder) -> Reply:
    """What a 200 proves (rows 1 and 2): a refund exists, if it is exactly the one that was ordered."""
    replayed = is_replayed(call)
    try:
        refund = refund_from(answer)
    except UnreadableError:
        return _inconsistent(call, None, replayed=replayed)
    if call.status != 200 or not _is_ordered(refund, order):
        return _inconsistent(call, refund, replayed=replayed)
    word = refund.status if refund.status in _KNOWN_STATUSES else "status_unknown"
    return Reply(
        Outcome.ACCEPTED, f"refund_{word}", call.status, request_id(call), refund=refund, replayed=replayed
    )


def _is_ordered(refund: ProviderRefund, order: RefundOrder) -> bool:
    shown = (refund.payment, refund.amount_minor, refund.currency, refund.request_id)
    return shown == (order.payment, order.amount_minor, order.currency, order.request_id)


def _inconsistent(call: Call, refund: ProviderRefund | None, *, replayed: bool) -> Reply:
    reason = "refund_of_another_order" if refund else "reply_without_refund"
    return Reply(
        Outcome.UNKNOWN,
        reason,
        call.status,
        request_id(call),
        refund=refund,
        replayed=replayed,
        alarm=Alarm.INCONSISTENT_REPLY,
    )


def _matches(row: Row, signals: Signals) -> bool:
    return signals.surface is row.surface and signals.status in row.statuses and row.fits(signals)


def _wait(row: Row, signals: Signals) -> int:
    return signals.retry_after_seconds or row.wait
