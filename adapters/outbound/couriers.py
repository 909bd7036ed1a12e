"""Who carries to which kind of endpoint. Whatever goes wrong is a word in the receipt, never an exception."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime

from standardwebhooks import Webhook

from adapters.outbound.mail import MailCourier, MailServer
from adapters.outbound.pinned import NotCarriedError, PinnedCaller
from governor.domain.deliveries import Receipt
from governor.domain.endpoints import EndpointKind, Reach, web_address
from governor.domain.errors import Conflict, Invalid
from governor.domain.requests import spelled
from governor.ports.couriers import Courier, Letter

_GONE = 410
_JSON = {"Content-Type": "application/json"}


@dataclass(frozen=True)
class KindsOfCouriers:
    """`governor.ports.messages.Couriers`: one for each kind that can be carried to here."""

    by_kind: Mapping[EndpointKind, Courier]

    def check(self, kind: EndpointKind) -> None:
        """Refuse a kind of endpoint that nothing can be carried to here.

        Raises:
            Conflict: `mail_not_configured`.
        """
        if kind not in self.by_kind:
            raise Conflict("mail_not_configured", "No mail server is set (GOVERNOR_SMTP_HOST).")

    def carry(self, kind: EndpointKind, letter: Letter) -> Receipt:
        """Carry a letter to an endpoint of this kind."""
        courier = self.by_kind.get(kind)
        return courier(letter) if courier is not None else Receipt(None, "mail_not_configured", 0)


@dataclass(frozen=True)
class WebhookCourier:
    """Signed as Standard Webhooks says. `now` tells the time (UTC) by which receivers judge what is old."""

    caller: PinnedCaller
    now: Callable[[], datetime]

    def __call__(self, letter: Letter) -> Receipt:
        """Carry the message itself: what happened to which object, and nothing more."""
        message = letter.message
        told = {"type": message.type, "timestamp": spelled(message.at), "data": {"id": message.object}}
        body = json.dumps(told, separators=(",", ":"))
        now = self.now()
        signatures = [Webhook(secret).sign(message.id, now, body) for secret in letter.secrets]
        signed = {
            "webhook-id": message.id,
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": " ".join(signatures),
        }
        return _posted(self.caller, letter.target, _JSON | signed, body.encode())


@dataclass(frozen=True)
class SlackCourier:
    """For Slack's incoming webhooks and whatever takes the same: the URL is the secret."""

    caller: PinnedCaller

    def __call__(self, letter: Letter) -> Receipt:
        """Carry the message in words."""
        body = json.dumps({"text": f"*{letter.words.subject}*\n{letter.words.text}"})
        return _posted(self.caller, letter.target, _JSON, body.encode())


def couriers(now: Callable[[], datetime], mail_server: MailServer | None, reach: Reach) -> KindsOfCouriers:
    """Couriers to all kinds of endpoints; to e-mail only with a server that takes it."""
    caller = PinnedCaller(reach)
    by_kind: dict[EndpointKind, Courier] = {
        EndpointKind.WEBHOOK: WebhookCourier(caller, now),
        EndpointKind.SLACK: SlackCourier(caller),
    }
    if mail_server is not None:
        by_kind[EndpointKind.EMAIL] = MailCourier(mail_server)
    return KindsOfCouriers(by_kind)


def _posted(caller: PinnedCaller, url: str, headers: Mapping[str, str], body: bytes) -> Receipt:
    begun = time.monotonic()
    status: int | None = None
    try:
        status = caller.post(web_address(url, caller.reach), headers, body)
        error = _refusal(status)
    except NotCarriedError as lost:
        error = lost.code
    except Invalid:
        # It was allowed when it was made, by settings that are other ones now.
        error = "address_refused"
    took = int((time.monotonic() - begun) * 1000)
    return Receipt(status, error, took, gone=status == _GONE)


def _refusal(status: int) -> str | None:
    """What an answer says, where it does not say that the message was taken. A redirect is not followed."""
    if 200 <= status < 300:
        return None
    if status == _GONE:
        return "gone"
    return "redirect_refused" if 300 <= status < 400 else "http_error"
