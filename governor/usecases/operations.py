"""Keys of POSTs that are no refund requests: a repeat does nothing again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from governor.domain.canonical import digest
from governor.domain.errors import Invalid
from governor.ports.records import Operation
from governor.ports.store import Transaction


def earlier(tx: Transaction, scope: str, key: str, asked: Mapping[str, Any]) -> str | None:
    """The id of the object that this key's first POST made or decided; None when the key is new.

    Raises:
        Invalid: `idempotency_key_reused` when something else is asked under the same key.
    """
    known = tx.operation(tx.here.name, scope, key)
    if known is None:
        return None
    if known.fingerprint != digest(dict(asked)):
        raise Invalid("idempotency_key_reused", "This key already names another intent; use a new one.")
    return known.object_id


def remember(tx: Transaction, scope: str, key: str, asked: Mapping[str, Any], object_id: str) -> None:
    """Keep what this key did, in the same transaction as the deed."""
    tx.add_operation(Operation(scope, key, digest(dict(asked)), object_id, 200))
