"""The answers that faults give: instead of the truth, or made from it."""

import json
from collections.abc import Callable

from adapters.sandbox import errors
from adapters.sandbox.errors import Refusal
from adapters.sandbox.shelf import Document
from adapters.sandbox.wire import Answer, Reply, Request, json_answer, json_bytes

_HTML = b"<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>\n"
_NO_REQUEST_ID = frozenset({401, 403})  # these refusals come from before Stripe counts requests (INDEX.md, 6)


def instead_of_executing(kind: str, request: Request, headers: dict[str, str]) -> Reply:
    """What the client sees when the call is not executed. ``headers`` are those of a usual answer."""
    if kind in {"reset_before", "drop_before"}:
        return Reply(None, "reset" if kind == "reset_before" else "close")
    if kind == "error_502_html":
        return Reply(Answer(502, _HTML, {"Content-Type": "text/html"}))
    if kind == "error_503":
        return Reply(json_answer(503, {"message": "Service temporarily unavailable"}))
    if kind == "redirect_302":
        # Back to where it came from: whoever follows turns the POST into a GET and reads a list.
        host = request.headers.get("host", "127.0.0.1")
        return Reply(Answer(302, b"", {"Location": f"http://{host}{request.path}"}))
    refusals: dict[str, Callable[[], Refusal]] = {
        "error_500_before": errors.backend_failed,
        "rate_limit_429": errors.rate_limited,
        "lock_timeout_429": errors.locked,
        "key_in_use_409": lambda: errors.key_in_use(request.idempotency_key or ""),
        "unauthorized_401": lambda: errors.invalid_key("sk_test_***"),
        "forbidden_403": errors.forbidden,
    }
    return Reply(refused(refusals[kind](), headers))


def refused(refusal: Refusal, headers: dict[str, str]) -> Answer:
    """The refusal as an answer; a 401 or 403 has no ``Request-Id`` and echoes no key."""
    usual = {} if refusal.status in _NO_REQUEST_ID else headers
    return json_answer(refusal.status, refusal.body, {**usual, **refusal.headers})


def after_executing(kind: str | None, answer: Answer) -> Reply:
    """What the client sees of an executed call; the saved answer and the world keep the truth."""
    match kind:
        case "drop_after":
            return Reply(None, "close")
        case "truncate_body":
            return Reply(answer, "truncate")
        case "not_json":
            return Reply(Answer(answer.status, b"<!doctype html><p>welcome</p>", answer.headers))
        case "json_not_object":
            return Reply(Answer(answer.status, json_bytes(["welcome"]), answer.headers))
        case _:
            return Reply(_altered(kind, answer))


def _altered(kind: str | None, answer: Answer) -> Answer:
    change = _ALTERATIONS.get(kind or "")
    if change is None or answer.status != 200:
        return answer
    document: Document = json.loads(answer.body)
    if document["object"] == "list":
        document["data"] = [change(item) for item in document["data"]]
    else:
        document = change(document)
    return Answer(answer.status, json_bytes(document), answer.headers)


def _other_currency(document: Document) -> Document:
    return {**document, "currency": "eur" if document.get("currency") != "eur" else "usd"}


_ALTERATIONS: dict[str, Callable[[Document], Document]] = {
    "other_amount": lambda document: {**document, "amount": document.get("amount", 0) * 2},
    "other_currency": _other_currency,
    "missing_id": lambda document: {name: value for name, value in document.items() if name != "id"},
    "unknown_status": lambda document: {**document, "status": "settling"},
    "null_status": lambda document: {**document, "status": None},
}
