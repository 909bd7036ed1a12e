"""Webhook endpoints: where events are sent, and the secret that signs them."""

import secrets
from urllib.parse import urlsplit

from adapters.sandbox import lists
from adapters.sandbox.errors import Refusal
from adapters.sandbox.lookups import endpoint_of
from adapters.sandbox.shelf import Document
from adapters.sandbox.work import Work
from adapters.sandbox.world import API_VERSION, new_id

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_AT_MOST = 16


def create(work: Work, sent: Document) -> Document:
    """Registers an endpoint; the only answer that shows its ``secret``.

    Raises:
        Refusal: for an address that is not on this machine, or a 17th endpoint.
    """
    if not _is_on_this_machine(sent["url"]):
        message = "Invalid URL: the sandbox delivers to http addresses on this machine only."
        raise Refusal(400, message, code="url_invalid", param="url")
    if len(work.account.webhook_endpoints) >= _AT_MOST:
        raise Refusal(400, f"You have reached the maximum of {_AT_MOST} webhook endpoints.")
    endpoint: Document = {
        "id": new_id("we"),
        "object": "webhook_endpoint",
        "api_version": API_VERSION,
        "application": None,
        "created": work.now,
        "description": sent.get("description"),
        "enabled_events": sent["enabled_events"],
        "livemode": False,
        "metadata": sent.get("metadata", {}),
        "secret": f"whsec_sandbox_{secrets.token_hex(16)}",
        "status": "enabled",
        "url": sent["url"],
    }
    return work.account.webhook_endpoints.put(endpoint["id"], endpoint)


def read(work: Work, endpoint_id: str) -> Document:
    """The endpoint without its secret."""
    return _without_secret(endpoint_of(work, endpoint_id))


def delete(work: Work, endpoint_id: str) -> Document:
    """Forgets the endpoint; what was still to be delivered to it is not."""
    endpoint_of(work, endpoint_id)
    work.account.webhook_endpoints.remove(endpoint_id)
    return {"id": endpoint_id, "object": "webhook_endpoint", "deleted": True}


def listed(work: Work, sent: Document) -> Document:
    """``GET /v1/webhook_endpoints``."""
    rows = (_without_secret(found) for found in work.account.webhook_endpoints.newest_first())
    return lists.page(rows, sent, "/v1/webhook_endpoints")


def _is_on_this_machine(url: str) -> bool:
    try:
        target = urlsplit(url)
        port = target.port
    except ValueError:
        return False  # the port is no number
    return target.scheme == "http" and target.hostname in LOOPBACK and port != 0


def _without_secret(endpoint: Document) -> Document:
    return {name: value for name, value in endpoint.items() if name != "secret"}
