"""Whatever is sent to a webhook's address, the reader gives an event or says what is wrong with it, and nothing else."""

from __future__ import annotations

from typing import Any

from hypothesis import example, given, settings
from hypothesis import strategies as st

from adapters.stripe.events import StripeWebhookReader
from governor.domain.errors import Malformed
from governor.ports.inbox import Received
from tests.stripe.bodies import NOW
from tests.stripe.webhooks import SECRET, body_of, event, signed

SCALARS = st.none() | st.booleans() | st.integers() | st.floats() | st.text()
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4)
)
FIELDS = st.sampled_from(["id", "object", "type", "created", "livemode", "account", "data", "request"])


def read(body: bytes, signature: str | None) -> Received | str:
    """What goes into the inbox, or the code of the refusal."""
    try:
        return Received.of(StripeWebhookReader().read(body, signature, [SECRET], NOW), body)
    except Malformed as refusal:
        return refusal.code


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200), st.none() | st.text(max_size=200))
def test_bytes_that_nobody_signed_are_no_event(body: bytes, signature: str | None) -> None:
    assert read(body, signature) in {"webhook_signature", "webhook_unreadable"}


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet="tv01=, ", max_size=60))
@example(f"t={int(NOW.timestamp())},v1=")
def test_a_header_that_nearly_is_a_signature_is_none(signature: str) -> None:
    assert read(body_of(event()), signature) == "webhook_signature"


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_signed_bytes_that_are_no_event_are_unreadable(body: bytes) -> None:
    assert read(body, signed(body)) == "webhook_unreadable"


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(FIELDS, VALUES, max_size=3))
def test_a_signed_event_with_fields_of_any_kind_is_an_event_or_unreadable(changes: dict[str, Any]) -> None:
    body = body_of(event(**changes))
    found = read(body, signed(body))
    assert found == "webhook_unreadable" or (isinstance(found, Received) and len(found.digest) == 64)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.sampled_from(["id", "object", "payment_intent"]), VALUES, max_size=3))
def test_a_signed_event_about_an_object_of_any_kind_names_ids_or_nothing(subject: dict[str, Any]) -> None:
    body = body_of(event(data={"object": subject}))
    found = read(body, signed(body))
    if isinstance(found, Received):
        for name in (found.event.payment, found.event.refund):
            assert name is None or (name.isascii() and 0 < len(name) <= 255)
    else:
        assert found == "webhook_unreadable"


@settings(max_examples=200, deadline=None)
@given(st.binary(min_size=1, max_size=20), st.integers(min_value=0, max_value=200))
def test_a_signed_body_in_which_anything_was_changed_is_refused(piece: bytes, place: int) -> None:
    body = body_of(event())
    changed = body[:place] + piece + body[place + len(piece) :]
    if changed != body:
        assert read(changed, signed(body)) in {"webhook_signature", "webhook_unreadable"}
