"""What a webhook must bring to be believed, and what is taken from it (RELIABILITY §4.9)."""

from __future__ import annotations

import json
import traceback
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from adapters.stripe.events import StripeWebhookReader
from governor.domain.errors import Malformed
from governor.ports.inbox import Received
from governor.ports.provider import EVENT_TYPES, ProviderEvent
from tests.stripe.bodies import NOW, charge, refund
from tests.stripe.webhooks import SECRET, body_of, digest, event, signed

SECOND = timedelta(seconds=1)
BODY = body_of(event())


def read(
    body: bytes = BODY, signature: str | None = None, *secrets: str, now: datetime = NOW
) -> ProviderEvent:
    sent = signed(body) if signature is None else signature
    return StripeWebhookReader().read(body, sent, secrets or (SECRET,), now)


def refused(body: bytes, signature: str | None, *secrets: str, now: datetime = NOW) -> str:
    with pytest.raises(Malformed) as refusal:
        StripeWebhookReader().read(body, signature, secrets or (SECRET,), now)
    assert "TRAP" not in "".join(traceback.format_exception(refusal.value))
    return refusal.value.code


def test_a_signed_event_says_where_to_look() -> None:
    assert read() == ProviderEvent(
        id="evt_1",
        type="refund.created",
        happened_at=NOW,
        livemode=False,
        account=None,
        payment="pi_1",
        refund="re_1",
        key="governor-rr_1",
    )


@pytest.mark.parametrize("kind", sorted(EVENT_TYPES))
def test_every_type_that_matters_names_its_payment(kind: str) -> None:
    objects = {"refund": refund(), "charge": charge(payment_intent="pi_1"), "dispute": {"object": "dispute"}}
    name = "dispute" if "dispute" in kind else "charge" if kind == "charge.refunded" else "refund"
    subject = objects[name] | {"payment_intent": {"id": "pi_1", "object": "payment_intent"}}
    found = read(body_of(event(type=kind, data={"object": subject})))
    assert (found.type, found.payment) == (kind, "pi_1")
    assert found.refund == ("re_1" if name == "refund" else None)


@pytest.mark.parametrize(
    "request_", [None, "req_1", {"id": None, "idempotency_key": None}, {}, {"idempotency_key": 7}]
)
def test_an_event_that_no_call_caused_has_no_key(request_: object) -> None:
    assert read(body_of(event(request=request_))).key is None


def test_a_key_that_cannot_be_ours_is_no_key() -> None:
    assert read(body_of(event(request={"idempotency_key": "with\u0000nul"}))).key is None


def test_the_account_and_the_mode_are_told() -> None:
    found = read(body_of(event(account="acct_2", livemode=True)))
    assert (found.account, found.livemode) == ("acct_2", True)


@pytest.mark.parametrize(
    "subject", [None, [], 7, "pi_1", {}, {"object": "payout", "id": "po_1"}, {"payment_intent": None}]
)
def test_an_object_that_names_nothing_is_an_event_all_the_same(subject: object) -> None:
    """RELIABILITY 175."""
    found = read(body_of(event(data={"object": subject})))
    assert (found.id, found.payment, found.refund) == ("evt_1", None, None)


@pytest.mark.parametrize(
    "told",
    [
        [],
        "event",
        7,
        None,
        {},
        event(object="v2.core.event"),
        event(object=None),
        event(data=None),
        event(data={}),
        event(data=[]),
        event(id="evt_" + "x" * 121),
        event(id="re_1"),
        event(id=7),
        event(id="evt_1\u0000"),
        event(type="x" * 101),
        event(type=None),
        event(created="1795953600"),
        event(created=True),
        event(created=-1),
        event(created=10**18),
        event(livemode=None),
        event(livemode="false"),
        event(account="acct_" + "x" * 300),
        event(data={"object": refund(id="re_" + "x" * 300)}),
        event(data={"object": refund(payment_intent="pi_" + "x" * 300)}),
        event(data={"object": refund(payment_intent=["pi_1"])}),
        event(data={"object": refund(payment_intent={"id": 7})}),
    ],
    ids=lambda told: json.dumps(told)[:40],
)
def test_what_is_no_event_of_ours_is_unreadable_however_well_it_is_signed(told: Any) -> None:
    body = body_of(told)
    assert refused(body, signed(body)) == "webhook_unreadable"


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"refund=TRAP",
        b'{"id": "TRAP"',
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b'{"created": ' + b"9" * 10_000 + b"}",
    ],
    ids=["empty", "half", "form", "cut", "deep list", "deep object", "long number"],
)
def test_a_signed_body_that_is_no_json_is_unreadable(body: bytes) -> None:
    """RELIABILITY 177."""
    assert refused(body, signed(body)) == "webhook_unreadable"


@pytest.mark.parametrize("body", [b"\xff\xfe TRAP", BODY.replace(b"refund.created", b"refund\xc3.created")])
def test_a_body_that_is_no_utf_8_is_unreadable(body: bytes) -> None:
    assert refused(body, signed(body)) == "webhook_unreadable"


def test_a_body_of_a_megabyte_is_read() -> None:
    body = body_of(event(padding="x" * 1_000_000))
    assert read(body).id == "evt_1"


TRAP = body_of(event(description="TRAP cardholder@example.com"))


@pytest.mark.parametrize(
    "signature",
    [
        None,
        "",
        "t=,v1=",
        f"t={int(NOW.timestamp())}",
        f"v1={digest(TRAP)}",
        f"t={int(NOW.timestamp())},v0={digest(TRAP)}",
        f"t={int(NOW.timestamp())},v1=\xe9",
        signed(TRAP, "now"),
        signed(TRAP, "1" * 20),
        signed(TRAP, int(NOW.timestamp())).replace("t=", "t=+"),
        signed(TRAP, int(NOW.timestamp())).replace("t=", "t= "),
        signed(TRAP)[:-1],
        signed(TRAP, NOW, "whsec_another"),
        signed(BODY),
        signed(body_of(json.loads(TRAP)).replace(b"\n", b"")),
        signed(TRAP) + "," + "v1=a" * 1000,
    ],
)  # fmt: skip
def test_a_signature_that_is_missing_or_wrong_is_refused(signature: str | None) -> None:
    """RELIABILITY 169, 170, 176."""
    assert refused(TRAP, signature) == "webhook_signature"


@pytest.mark.parametrize("off", [-300, -299, 0, 299, 300])
def test_a_signature_is_good_for_five_minutes_both_ways(off: int) -> None:
    assert read(now=NOW + off * SECOND).id == "evt_1"


@pytest.mark.parametrize("off", [-3600, -301, 301, 3600, 86_400])
def test_an_old_signature_and_one_from_the_future_are_refused(off: int) -> None:
    assert refused(BODY, signed(BODY), now=NOW + off * SECOND) == "webhook_signature"


def test_the_machines_own_clock_decides_nothing() -> None:
    long_ago = datetime(2001, 1, 1, tzinfo=UTC)
    assert read(BODY, signed(BODY, long_ago), now=long_ago).id == "evt_1"


def test_two_headers_joined_by_a_server_are_refused() -> None:
    """Else the time of the one would lend itself to the signature of the other."""
    old = NOW - timedelta(hours=1)
    joined = f"t={int(NOW.timestamp())},v1={'0' * 64},{signed(BODY, old)}"
    assert refused(BODY, joined) == "webhook_signature"
    assert refused(BODY, f"{signed(BODY)},{signed(BODY)}") == "webhook_signature"


def test_while_a_secret_is_replaced_either_is_good_and_then_only_the_new_one() -> None:
    """RELIABILITY H9, 171: Stripe signs with both, and we believe both, for as long as both are named."""
    both = signed(BODY, NOW, "whsec_old", "whsec_new")
    for secrets in (("whsec_old",), ("whsec_new",), ("whsec_new", "whsec_old")):
        assert read(BODY, both, *secrets).id == "evt_1"
    assert read(BODY, signed(BODY, NOW, "whsec_old"), "whsec_new", "whsec_old").id == "evt_1"
    assert refused(BODY, signed(BODY, NOW, "whsec_old"), "whsec_new") == "webhook_signature"


def test_without_any_secret_nothing_is_believed() -> None:
    with pytest.raises(Malformed):
        StripeWebhookReader().read(BODY, signed(BODY, NOW, ""), (), NOW)


def test_two_deliveries_of_one_event_say_the_same_though_their_bodies_differ() -> None:
    once, again = read(), read(body_of(event(pending_webhooks=0)))
    assert Received.of(once).digest == Received.of(again, b"{}").digest
    other = read(body_of(event(data={"object": refund(payment_intent="pi_2")})))
    assert Received.of(other).digest != Received.of(once).digest
