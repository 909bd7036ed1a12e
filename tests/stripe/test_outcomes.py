"""The table of STRIPE.md §2b, written a second time by hand and played over real sockets."""

from __future__ import annotations

from typing import Any

import pytest

from governor.domain.outcome import Alarm, Outcome
from tests.stack import PATIENCE_SECONDS
from tests.stripe.bodies import ORDER, REPLAYED, REQUEST_ID, STRIPE_SAYS, error, provider_at, refund
from tests.stripe.scripted import ScriptedServer, Step, close, raw, reply, reset, write

S, N, E, U = Outcome.ACCEPTED, Outcome.REJECTED, Outcome.NOT_EXECUTED, Outcome.UNKNOWN
PAUSE, BROKEN, ODD, CONFIG = (
    Alarm.PAUSE_ENVIRONMENT,
    Alarm.IDENTITY_BROKEN,
    Alarm.INCONSISTENT_REPLY,
    Alarm.CONFIGURATION,
)
LIMITED = {**STRIPE_SAYS, "Stripe-Rate-Limited-Reason": "global-rate"}


def ok(**changes: Any) -> Step:
    return reply(200, refund(**changes), STRIPE_SAYS)


def refused(status: int = 400, **fields: Any) -> Step:
    return reply(status, error(**fields), STRIPE_SAYS)


def typed(status: int, type_: str, **fields: Any) -> Step:
    return reply(status, error(type_, **fields), STRIPE_SAYS)


# fmt: off
TABLE = [
    # row, situation,                       what the server does,                             first, replay, reason, alarm
    ("1",  "accepted",                      ok(),                                             S, S, "refund_succeeded", None),
    ("1",  "accepted, pending",             ok(status="pending"),                             S, S, "refund_pending", None),
    ("1",  "accepted, action needed",       ok(status="requires_action"),                     S, S, "refund_requires_action", None),
    ("1",  "accepted, failed",              ok(status="failed"),                              S, S, "refund_failed", None),
    ("1",  "accepted, canceled",            ok(status="canceled"),                            S, S, "refund_canceled", None),
    ("1",  "accepted, unheard-of status",   ok(status="floating"),                            S, S, "refund_status_unknown", None),
    ("1",  "accepted, no status",           ok(status=None),                                  S, S, "refund_status_unknown", None),
    ("2",  "other amount",                  ok(amount=701),                                   U, U, "refund_of_another_order", ODD),
    ("2",  "other currency",                ok(currency="eur"),                               U, U, "refund_of_another_order", ODD),
    ("2",  "other payment",                 ok(payment_intent="pi_2"),                        U, U, "refund_of_another_order", ODD),
    ("2",  "no payment",                    ok(payment_intent=None),                          U, U, "refund_of_another_order", ODD),
    ("2",  "other request",                 ok(metadata={"governor_refund_request": "rr_2"}), U, U, "refund_of_another_order", ODD),
    ("2",  "no metadata",                   ok(metadata=None),                                U, U, "refund_of_another_order", ODD),
    ("2",  "no id",                         ok(id=None),                                      U, U, "reply_without_refund", ODD),
    ("2",  "amount is no integer",          ok(amount="700"),                                 U, U, "reply_without_refund", ODD),
    ("2",  "amount is true",                ok(amount=True),                                  U, U, "reply_without_refund", ODD),
    ("2",  "another object",                ok(object="charge"),                              U, U, "reply_without_refund", ODD),
    ("2",  "an error with 200",             reply(200, error(), STRIPE_SAYS),                 U, U, "reply_without_refund", ODD),
    ("2",  "202",                           reply(202, refund(), STRIPE_SAYS),                U, U, "refund_of_another_order", ODD),
    ("3",  "HTML with 200",                 reply(200, b"<html>", STRIPE_SAYS),               U, U, "reply_not_json", None),
    ("3",  "nothing with 200",              reply(200, b"", STRIPE_SAYS),                     U, U, "reply_not_json", None),
    ("3",  "no UTF-8",                      reply(200, b"\xff\xfe", STRIPE_SAYS),             U, U, "reply_not_json", None),
    ("4",  "an array with 200",             reply(200, [refund()], STRIPE_SAYS),              U, U, "reply_not_object", None),
    ("4",  "a string with 200",             reply(200, "done", STRIPE_SAYS),                  U, U, "reply_not_object", None),
    ("5",  "already refunded",              refused(code="charge_already_refunded"),          N, U, "charge_already_refunded", None),
    ("6",  "more than is left",             refused(param="amount"),                          N, U, "amount_refused", None),
    ("7",  "disputed",                      refused(code="charge_disputed"),                  N, U, "charge_disputed", None),
    ("7",  "dispute of the refund",         refused(code="refund_disputed_payment"),          N, U, "refund_disputed_payment", None),
    ("7",  "not refundable",                refused(code="charge_not_refundable"),            N, U, "charge_not_refundable", None),
    ("8",  "invalid integer",               refused(code="parameter_invalid_integer", param="amount"), N, U, "parameter_invalid_integer", None),
    ("8",  "unknown parameter",             refused(code="parameter_unknown"),                N, U, "parameter_unknown", None),
    ("8",  "missing parameter",             refused(code="parameter_missing"),                N, U, "parameter_missing", None),
    ("8",  "empty parameter",               refused(code="parameter_invalid_empty"),          N, U, "parameter_invalid_empty", None),
    ("8",  "blank string",                  refused(code="parameter_invalid_string_blank"),   N, U, "parameter_invalid_string_blank", None),
    ("8",  "exclusive parameters",          refused(code="parameters_exclusive"),             N, U, "parameters_exclusive", None),
    ("8",  "invalid reason",                refused(param="reason"),                          N, U, "parameter_refused", None),
    ("8",  "invalid metadata",              refused(param="metadata[x]"),                     N, U, "parameter_refused", None),
    ("9",  "no code, no parameter",         refused(),                                        U, U, "refused_without_proof", None),
    ("9",  "a code nobody listed",          refused(code="brand_new"),                        U, U, "refused_without_proof", None),
    ("9",  "a parameter nobody listed",     refused(param="charge"),                          U, U, "refused_without_proof", None),
    ("9",  "listed, but no Request-Id",     reply(400, error(code="charge_disputed")),        U, U, "refused_without_proof", None),
    ("9",  "listed, but another type",      typed(400, "api_error", code="charge_disputed"),  U, U, "refused_without_proof", None),
    ("10", "unknown charge, 404",           refused(404, code="resource_missing", param="id"), N, U, "resource_missing", CONFIG),
    ("10", "unknown payment, 400",          refused(400, code="resource_missing"),            N, U, "resource_missing", CONFIG),
    *[("11", code,                          refused(code=code),                               N, U, code, None) for code in (
        "payment_intent_unexpected_state", "intent_invalid_state", "charge_invalid_parameter", "amount_too_large",
        "amount_too_small", "invalid_charge_amount", "status_transition_invalid", "livemode_mismatch",
        "testmode_charges_only", "account_invalid", "platform_account_required", "secret_key_required")],
    ("12", "balance too low",               refused(message_code="insufficient_balance_for_refund"), U, U, "refused_without_proof", None),
    ("13", "other parameters",              typed(400, "idempotency_error"),                  U, U, "idempotency_error", BROKEN),
    ("14", "wrong key",                     reply(401, error()),                              E, U, "unauthorized", PAUSE),
    ("14", "expired key",                   refused(401, code="api_key_expired"),             E, U, "unauthorized", PAUSE),
    ("16", "402",                           typed(402, "card_error", code="card_declined"),   U, U, "http_402", None),
    ("17", "no permission",                 refused(403),                                     E, U, "forbidden", PAUSE),
    ("18", "key in use",                    typed(409, "idempotency_error", code="idempotency_key_in_use"), U, U, "key_in_use", None),
    ("19", "other conflict",                refused(409),                                     U, U, "http_409", None),
    ("20", "424",                           typed(424, "api_error"),                          U, U, "http_424", None),
    ("21", "rate limit",                    refused(429, code="rate_limit"),                  E, U, "rate_limited", None),
    ("21", "rate limit by header",          reply(429, error(), LIMITED),                     E, U, "rate_limited", None),
    ("22", "lock timeout",                  refused(429, code="lock_timeout"),                E, U, "lock_timeout", None),
    ("22", "429 that says nothing",         refused(429),                                     U, U, "http_429", None),
    ("23", "rate limit with 400",           refused(400, code="rate_limit"),                  E, U, "rate_limited", None),
    ("24", "500",                           typed(500, "api_error"),                          U, U, "http_500", None),
    ("25", "502 HTML",                      reply(502, b"<html>Bad gateway"),                 U, U, "http_502", None),
    ("25", "503 without error",             reply(503, {"message": "later"}),                 U, U, "http_503", None),
    ("25", "504, empty",                    reply(504, b""),                                  U, U, "http_504", None),
    ("26", "302",                           reply(302, b"", {"Location": "/elsewhere"}),      U, U, "http_302", None),
    ("26", "307",                           reply(307, b"", {"Location": "/elsewhere"}),      U, U, "http_307", None),
    ("27", "418",                           refused(418),                                     U, U, "http_418", None),
    ("27", "403 of a proxy",                reply(403, b"<html>Forbidden"),                   U, U, "http_403", None),
    ("27", "400 of a proxy",                reply(400, b"<html>Bad request"),                 U, U, "http_400", None),
    ("27", "429 of a proxy",                reply(429, b"slow down"),                         U, U, "http_429", None),
    ("28", "an OAuth error",                reply(400, {"error": "invalid_request"}),         U, U, "http_400", None),
    ("28", "an error of words",             reply(400, {"error": "went wrong"}),              U, U, "http_400", None),
    ("30", "closed without an answer",      close,                                            U, U, "connection_lost", None),
    ("30", "reset",                         reset,                                            U, U, "connection_lost", None),
    ("30", "cut in the status line",        write(raw(200, refund())[:7]),                    U, U, "connection_lost", None),
    ("30", "cut in the headers",            write(raw(200, refund())[:40]),                   U, U, "reply_not_json", None),
    ("30", "cut in the body",               write(raw(200, refund())[:-40]),                  U, U, "reply_truncated", None),
    ("30", "no HTTP at all",                write(b"\x16\x03\x01\x00\x00 whatever\r\n\r\n"),  U, U, "connection_lost", None),
    ("34", "an error object of numbers",    reply(400, {"error": 7}, STRIPE_SAYS),            U, U, "http_400", None),
]
# fmt: on


@pytest.mark.parametrize(
    ("step", "outcome", "reason", "alarm"),
    [
        pytest.param(step, first, reason, alarm, id=f"{row} {name}")
        for row, name, step, first, _, reason, alarm in TABLE
    ],
)
def test_a_first_attempt_proves(step: Step, outcome: Outcome, reason: str, alarm: Alarm | None) -> None:
    with ScriptedServer(step) as server:
        answer = provider_at(server.url).create_refund(ORDER, first=True, deadline_seconds=PATIENCE_SECONDS)
    assert (answer.outcome, answer.reason, answer.alarm) == (outcome, reason, alarm)
    assert (answer.replayed, answer.kept) == (False, False)
    assert (answer.retry_after_seconds > 0) == (outcome is E)
    assert (answer.refund is not None) == (outcome is S or reason == "refund_of_another_order")
    assert "TRAP" not in repr(answer)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("step", "outcome", "reason", "alarm"),
    [
        pytest.param(step, replay, reason, alarm, id=f"{row} {name}")
        for row, name, step, _, replay, reason, alarm in TABLE
    ],
)
def test_a_replay_proves(step: Step, outcome: Outcome, reason: str, alarm: Alarm | None) -> None:
    with ScriptedServer(step) as server:
        answer = provider_at(server.url).create_refund(ORDER, first=False, deadline_seconds=PATIENCE_SECONDS)
    assert (answer.outcome, answer.reason, answer.alarm) == (outcome, reason, alarm)
    assert answer.retry_after_seconds == 0
    assert len(server.requests) == 1


def test_every_row_of_the_page_is_in_this_table() -> None:
    """15 and 31 never reach a socket, 29 has no server, 32 and 33 are no replies: test_calls has them."""
    played = {int(row) for row, *_ in TABLE}
    assert played == set(range(1, 35)) - {15, 29, 31, 32, 33}


# fmt: off
KEPT = [
    # what Stripe kept under the key,            a replay proves, and may be repeated for every attempt
    ("already refunded",  400, {"code": "charge_already_refunded"},   N, True),
    ("more than is left", 400, {"param": "amount"},                   N, True),
    ("disputed",          400, {"code": "charge_disputed"},           N, True),
    ("not refundable",    404, {"code": "charge_not_refundable"},     N, True),
    ("no code",           400, {},                                    U, True),
    ("validation",        400, {"code": "parameter_unknown"},         U, True),
    ("unknown charge",    404, {"code": "resource_missing"},          U, True),
    ("wrong account",     400, {"code": "account_invalid"},           U, True),
    ("saved 500",         500, {"type_": "api_error"},                U, False),
    ("402",               402, {"type_": "card_error"},               U, False),
]
# fmt: on


@pytest.mark.parametrize("first", [False, True], ids=["replay", "believed to be the first"])
@pytest.mark.parametrize(
    ("status", "fields", "outcome", "kept"), [pytest.param(*case[1:], id=case[0]) for case in KEPT]
)
def test_an_answer_that_stripe_kept_under_the_key(
    status: int, fields: dict[str, str], outcome: Outcome, kept: bool, first: bool
) -> None:
    with ScriptedServer(reply(status, error(**fields), REPLAYED)) as server:
        answer = provider_at(server.url).create_refund(ORDER, first=first, deadline_seconds=PATIENCE_SECONDS)
    assert (answer.outcome, answer.kept, answer.replayed) == (outcome, kept, True)


def test_a_replayed_refund_is_accepted_and_says_that_it_is_an_old_picture() -> None:
    with ScriptedServer(reply(200, refund(status="pending"), REPLAYED)) as server:
        answer = provider_at(server.url).create_refund(ORDER, first=False, deadline_seconds=PATIENCE_SECONDS)
    assert (answer.outcome, answer.replayed, answer.provider_request_id) == (S, True, REQUEST_ID)
    assert answer.refund is not None
    assert (answer.refund.id, answer.refund.status, answer.refund.request_id) == ("re_1", "pending", "rr_1")


def test_a_refund_of_another_order_is_shown_to_the_operator() -> None:
    with ScriptedServer(ok(amount=70000)) as server:
        answer = provider_at(server.url).create_refund(ORDER, first=True, deadline_seconds=PATIENCE_SECONDS)
    assert answer.refund is not None
    assert (answer.refund.id, answer.refund.amount_minor) == ("re_1", 70000)


@pytest.mark.parametrize(("header", "seconds"), [("17", 17), ("0", 2), ("soon", 2), ("-5", 2), ("99999", 2)])
def test_a_rate_limit_says_how_long_to_wait(header: str, seconds: int) -> None:
    with ScriptedServer(reply(429, error(code="rate_limit"), {"Retry-After": header})) as server:
        answer = provider_at(server.url).create_refund(ORDER, first=True, deadline_seconds=PATIENCE_SECONDS)
    assert answer.retry_after_seconds == seconds


@pytest.mark.parametrize("value", ["req_1 TRAP", "TRAP", "", "req_" + "a" * 200])
def test_what_does_not_look_like_a_request_id_is_not_repeated(value: str) -> None:
    headers = {"Request-Id": value} if value else {}
    with ScriptedServer(reply(400, error(code="charge_disputed"), headers)) as server:
        answer = provider_at(server.url).create_refund(ORDER, first=True, deadline_seconds=PATIENCE_SECONDS)
    assert (answer.outcome, answer.provider_request_id) == (U, None)
