"""Idempotency keys: the first answer is the answer, for a day (STRIPE.md §3)."""

import json
from dataclasses import dataclass

from adapters.sandbox import errors
from adapters.sandbox.shelf import Document
from adapters.sandbox.wire import Answer, Request
from adapters.sandbox.work import Work
from adapters.sandbox.world import World

LIFE_SECONDS = 24 * 60 * 60
"""A key is forgotten once it is this old. Used again it is a new request, and a second refund."""

KEY_CHARACTERS = 255


@dataclass(frozen=True)
class Replay:
    """The saved first answer, and the request that got it."""

    answer: Answer
    original_request: str


def claim(work: Work, request: Request, key: str) -> Replay | None:
    """Takes the key for this request, or finds the answer saved under it.

    Raises:
        Refusal: 409 while another request with the key runs; 400 for other parameters or endpoint.
    """
    if (work.account.id, key) in work.world.running_keys:
        raise errors.key_in_use(key)
    saved = work.account.saved_answers.get(key)
    if saved is not None and _is_old(saved, work.now):
        work.account.saved_answers.remove(key)
        saved = None
    if saved is None:
        work.world.running_keys.add((work.account.id, key))
        return None
    if saved["path"] != request.path:
        raise errors.other_endpoint(key, request.path, saved["path"])
    if saved["parameters"] != _parameters(request):
        raise errors.other_parameters(key)
    return Replay(Answer(saved["status"], saved["body"].encode(), saved["headers"]), saved["request_id"])


def save(work: Work, request: Request, key: str, answer: Answer) -> None:
    """Keeps the answer of an execution, good or bad, 500s included."""
    document: Document = {
        "path": request.path,
        "parameters": _parameters(request),
        "status": answer.status,
        "headers": dict(answer.headers),
        "body": answer.body.decode(),
        "request_id": work.request_id,
        "created": work.now,
    }
    work.account.saved_answers.put(key, document)


def let_go(work: Work, key: str) -> None:
    """The request is over; what was not saved may be tried again."""
    work.world.running_keys.discard((work.account.id, key))


def prune(world: World) -> None:
    """Forgets every key that is a day old by the twin's clock."""
    now = world.clock.now()
    for account in world.accounts.values():
        old = [key for key in account.saved_answers if _is_old(account.saved_answers[key], now)]
        for key in old:
            account.saved_answers.remove(key)


def _is_old(saved: Document, now: int) -> bool:
    return bool(now - saved["created"] >= LIFE_SECONDS)


def _parameters(request: Request) -> str:
    """The sent parameters in a form that two equal requests share, whatever the order of their fields."""
    return json.dumps(sorted(request.form()))
