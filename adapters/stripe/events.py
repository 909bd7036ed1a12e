"""Events as Stripe tells them: the webhook's signature, and where an event says to look."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Final

import stripe

from adapters.stripe.fields import UnreadableError, moment
from governor.domain.errors import Malformed
from governor.ports.provider import EVENT_ID, ProviderEvent

TOLERANCE: Final = timedelta(seconds=300)
"""How far a signature's time may lie from now, in the past (Stripe's own default) and in the future alike."""

_HEADER = re.compile(r"[!-~]{1,2000}")
_TIME = re.compile(r"t=([0-9]{1,11})")
_TYPE = re.compile(r"[a-z0-9_.]{1,100}")
_ID = re.compile(r"[A-Za-z0-9_]{1,255}")
_KEY = re.compile(r"[!-~]{1,255}")


class StripeWebhookReader:
    """`governor.ports.provider.WebhookReader` for Stripe's own webhooks (snapshots, not thin events)."""

    def read(
        self, body: bytes, signature: str | None, secrets: Sequence[str], now: datetime
    ) -> ProviderEvent:
        """The event, once one of the secrets has signed exactly these bytes, not long before or after `now`.

        Raises:
            Malformed: `webhook_signature`, or `webhook_unreadable`; neither repeats what was sent.
        """
        try:
            text = body.decode()
        except UnicodeDecodeError:
            raise _unreadable() from None
        _check_time(signature, now)
        if not any(_signed(text, signature, secret) for secret in secrets):
            raise _unsigned()
        try:
            return event_from(json.loads(text))
        except (ValueError, RecursionError):
            raise _unreadable() from None


def event_from(body: object) -> ProviderEvent:
    """An event as the API and webhooks show it, whatever version it was rendered in.

    An object that names neither a payment nor a refund is an event all the same: it is kept, and settles nothing.

    Raises:
        UnreadableError: it is no event, or an id in it cannot be one.
    """
    if not isinstance(body, Mapping) or body.get("object") != "event":
        raise UnreadableError("no event")
    data, request = body.get("data"), body.get("request")
    if not isinstance(data, Mapping) or "object" not in data:
        raise UnreadableError("an event without object")
    subject = data["object"] if isinstance(data["object"], Mapping) else {}
    key = request.get("idempotency_key") if isinstance(request, Mapping) else None
    livemode = body.get("livemode")
    if not isinstance(livemode, bool):
        raise UnreadableError("no livemode")
    return ProviderEvent(
        id=_text(body.get("id"), EVENT_ID),
        type=_text(body.get("type"), _TYPE),
        happened_at=moment(body.get("created")),
        livemode=livemode,
        account=_reference(body.get("account")),
        payment=_reference(subject.get("payment_intent")),
        refund=_reference(subject.get("id")) if subject.get("object") == "refund" else None,
        # Ours always look like this; whose do not is nobody's we know.
        key=key if isinstance(key, str) and _KEY.fullmatch(key) else None,
    )


def _check_time(signature: str | None, now: datetime) -> None:
    """The SDK looks at the past only, and takes the first of several times (STRIPE.md §4)."""
    if signature is None or not _HEADER.fullmatch(signature):
        raise _unsigned()
    times = [item for item in signature.split(",") if item.startswith("t=")]
    told = _TIME.fullmatch(times[0]) if len(times) == 1 else None
    if told is None or abs(now.timestamp() - int(told[1])) > TOLERANCE.total_seconds():
        raise _unsigned()


def _signed(text: str, signature: str | None, secret: str) -> bool:
    try:
        stripe.WebhookSignature.verify_header(text, signature, secret)
    except stripe.SignatureVerificationError:
        return False
    return True


def _text(value: object, pattern: re.Pattern[str]) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise UnreadableError("an event lacks what names it")
    return value


def _reference(value: object) -> str | None:
    """The id of another object, which Stripe shows as an id or, expanded, as the object."""
    found = value.get("id") if isinstance(value, Mapping) else value
    return None if found is None else _text(found, _ID)


def _unsigned() -> Malformed:
    return Malformed("webhook_signature", "The signature is missing, wrong, or not of this moment.")


def _unreadable() -> Malformed:
    return Malformed("webhook_unreadable", "The body is not one event in UTF-8 JSON.")
