"""Events: what happened, kept for ``GET /v1/events`` and handed to the webhook endpoints that asked."""

from collections.abc import Iterator

from adapters.sandbox import documents, lists
from adapters.sandbox.errors import Refusal
from adapters.sandbox.shelf import Document
from adapters.sandbox.work import Work

_TYPES_AT_MOST = 20


def announce(work: Work, kind: str, subject: Document, previous: Document | None = None) -> None:
    """Records that ``kind`` happened to ``subject``, rendered now and never again (STRIPE.md §5)."""
    account = work.account
    listening = [
        endpoint["id"]
        for endpoint in account.webhook_endpoints.oldest_first()
        if {"*", kind} & set(endpoint["enabled_events"])
    ]
    data: Document = {"object": subject}
    if previous is not None:
        data["previous_attributes"] = previous
    event = documents.event(
        kind=kind, data=data, now=work.now, request=work.cause, pending_webhooks=len(listening)
    )
    account.events.put(event["id"], event)
    work.world.due_deliveries += [(account.id, endpoint, event["id"]) for endpoint in listening]


def listed(work: Work, sent: Document) -> Document:
    """``GET /v1/events``, newest first, by ``type``, ``types`` (at most 20) and ``delivery_success``.

    Raises:
        Refusal: for both ``type`` and ``types``, or too many types.
    """
    types = sent.get("types", [])
    if len(types) > _TYPES_AT_MOST or (types and "type" in sent):
        message = f"Send type, or up to {_TYPES_AT_MOST} types."
        raise Refusal(400, message, code="parameters_exclusive", param="types")
    return lists.page(_matching(work, sent), sent, "/v1/events")


def _matching(work: Work, sent: Document) -> Iterator[Document]:
    wanted = set(sent.get("types", [])) | ({sent["type"]} if "type" in sent else set())
    for event in work.account.events.newest_first():
        delivered = event["pending_webhooks"] == 0
        if (not wanted or event["type"] in wanted) and sent.get("delivery_success", delivered) is delivered:
            yield event
