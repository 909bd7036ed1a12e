"""What an operation key names, and the keys of POSTs that are no refund requests: a repeat does nothing again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from governor.domain.canonical import digest
from governor.domain.errors import Invalid
from governor.domain.requests import spelled
from governor.ports.records import Operation
from governor.ports.store import Transaction

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def asked_of(draft: DataclassInstance) -> dict[str, Any]:
    """What a draft asks, in the form of JSON, for the fingerprint of its operation key.

    A member that has its default says nothing. Keys outlive upgrades: so a draft may learn to say more, with a default,
    and whoever repeats what they asked before the upgrade is still understood.
    """
    said = ((one.name, getattr(draft, one.name), one.default) for one in fields(draft))
    return {name: _as_json(value) for name, value, default in said if value != default}


def _as_json(value: Any) -> Any:  # noqa: ANN401  the members of a draft are of any type
    if isinstance(value, datetime):
        return spelled(value.astimezone(UTC))
    if is_dataclass(value) and not isinstance(value, type):
        return asked_of(value)
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_as_json(one) for one in value]
    return value


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
