"""Where Stripe brings its events. No key: the signature over the raw body says who sends."""

from __future__ import annotations

from typing import Final

import structlog
from flask import Response, request

from governor.api.application import UseCases
from governor.api.responses import answer
from governor.usecases.record_provider_event import Taken

RULE: Final = "/webhooks/stripe/<environment>"
MAX_EVENT_BYTES: Final = 1024 * 1024
"""A webhook's body, which is larger than any of the API's: it carries a whole object."""

log = structlog.get_logger(__name__)


def stripe_webhook(use: UseCases, environment: str) -> Response:
    """Believed and stored: 200. Anything but 2xx makes Stripe bring it again."""
    request.max_content_length = MAX_EVENT_BYTES
    body = request.get_data(cache=False)
    event, taken = use.record_provider_event(environment, body, request.headers.get("Stripe-Signature"))
    told = log.warning if taken in {Taken.CONTRADICTS, Taken.LIVE_MODE, Taken.ANOTHER_ACCOUNT} else log.info
    told("webhook.received", environment=environment, id=event.id, type=event.type, taken=taken.value)
    return answer({"received": True})
