"""Rows as JSON, and what they mean: the one place that spells a domain value as a row and back.

Rows travel as JSON in both directions: `to_jsonb(row)` out, `jsonb_populate_recordset` in. So one statement
reads or writes a whole batch, and each record has one decoder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from typing import Any

from governor.domain.admission import Denial, NextAction, PaymentBook
from governor.domain.audit import Entry, Sealed
from governor.domain.credentials import Credential, Kind, Role
from governor.domain.environments import Environment, Mode
from governor.domain.evidence import Evidence, Source
from governor.domain.late_limits import LateLimits
from governor.domain.lifecycle import State
from governor.domain.limits import CounterKey
from governor.domain.outcome import Outcome
from governor.domain.payments import Dispute, PaymentFacts, PaymentMethod, ProviderRefund
from governor.domain.requests import RefundRequest
from governor.ports.records import RecordedEvidence

Row = Mapping[str, Any]


def moment(text: str | None) -> datetime | None:
    """A timestamptz as PostgreSQL spells it in JSON (the session's zone is UTC)."""
    return None if text is None else datetime.fromisoformat(text)


def instant(text: str) -> datetime:
    """A timestamptz that is never NULL."""
    return datetime.fromisoformat(text)


def as_far_as_can_be_said(text: str) -> datetime:
    """A timestamptz that nobody may have written: PostgreSQL knows times that Python does not, the last one for each.

    Only for what is sealed: there it shows that such a row does not say what was sealed.
    """
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        return _LAST


_LAST = datetime.max.replace(tzinfo=UTC) - timedelta(days=1)
"""As late as can be said in every time zone."""


def spelled(at: datetime | None) -> str | None:
    """A time for a JSON parameter."""
    return None if at is None else at.isoformat()


_FIELDS = [field.name for field in fields(RefundRequest)]
_COLUMNS = itemgetter(*(name.removesuffix("_minor") for name in _FIELDS))
_MEANING: dict[str, Callable[[Any], Any]] = {
    "state": State,
    "denial": Denial,
    "next_action": NextAction,
    "credentials": tuple,
    "limits": tuple,
    "unproven": tuple,
    "rules": tuple,
    **dict.fromkeys("created_at updated_at next_action_at expires_at due_at".split(), instant),
    **dict.fromkeys("first_sent_at expiring_at lease_until cancel_requested_at flagged_at".split(), instant),
}
"""The columns of refund_requests that mean more than their JSON value. Every other one is the field itself."""
_MEANING_AT = [(_FIELDS.index(name), meaning) for name, meaning in _MEANING.items()]


def request_from(row: Row) -> RefundRequest:
    """A row of refund_requests, whose columns are the request's fields. Thousands are read: no step per field."""
    values = list(_COLUMNS(row))
    for index, meaning in _MEANING_AT:
        if values[index] is not None:
            values[index] = meaning(values[index])
    return RefundRequest(*values)


def request_row(request: RefundRequest) -> dict[str, Any]:
    """A refund request as a row of refund_requests."""
    row = dict(vars(request))
    for name in ("amount", "asked_amount", "moved"):
        row[name] = row.pop(f"{name}_minor")
    for name, value in row.items():
        if isinstance(value, datetime):
            row[name] = value.isoformat()
    return row


def counter_row(key: CounterKey) -> dict[str, Any]:
    """What names a counter, as columns of counters."""
    return {"limit_id": key.limit, "value": key.value, "window_start": key.window_start.isoformat()}


def credential_from(row: Row) -> Credential:
    """A row of credentials; the secret's hash stays behind."""
    return Credential(
        id=row["id"],
        environment=row["environment"],
        name=row["name"],
        role=Role(row["role"]),
        kind=Kind(row["kind"]),
        owner=row["owner"],
        agent=row["agent"],
        parent=row["parent"],
        created_at=instant(row["created_at"]),
        expires_at=moment(row["expires_at"]),
        revoked_at=moment(row["revoked_at"]),
        approve_up_to=row["approve_up_to"],
        rotated_at=moment(row["rotated_at"]),
        previous_until=moment(row["previous_until"]),
        last_used_at=moment(row["last_used_at"]),
        revoked_reason=row["revoked_reason"],
        person=row["person"],
        suspended_at=moment(row["suspended_at"]),
        known_to=tuple(row["known_to"]),
    )


def environment_from(row: Row) -> Environment:
    """A row of environments without its bucket and its audit head."""
    return Environment(
        name=row["name"],
        account=row["account"],
        mode=Mode(row["mode"]),
        frozen_reason=row["frozen_reason"],
        paused_reason=row["paused_reason"],
        halted_reason=row["halted_reason"],
        rate_per_second=row["rate_per_second"],
        approval_seconds=row["approval_seconds"],
        limits_revision=row["limits_revision"],
        revision=row["revision"],
        created_at=instant(row["created_at"]),
        fenced_at=moment(row["fenced_at"]),
        late_limits=LateLimits(row["late_limits"]),
        expiry_notices=row["expiry_notices"],
        raises_need_two=row["raises_need_two"],
        reasons_required=row["reasons_required"],
        prove_above=row["prove_above"],
        type_above=row["type_above"],
        undo_seconds=row["undo_seconds"],
    )


def refund_from(row: Row) -> ProviderRefund:
    """A provider refund inside a JSON column."""
    return ProviderRefund(**{**row, "created_at": moment(row.get("created_at"))})


def refund_row(refund: ProviderRefund) -> dict[str, Any]:
    """A provider refund for a JSON column."""
    return vars(refund) | {"created_at": spelled(refund.created_at)}


def facts_from(row: Row, external: int) -> tuple[PaymentFacts, PaymentBook]:
    """A row of payments: what the provider showed, and what was taken of it, `external` by refunds made elsewhere."""
    facts = PaymentFacts(
        payment=row["payment"],
        account=row["account"],
        currency=row["currency"],
        captured_minor=row["captured"],
        customer=row["customer"],
        livemode=row["livemode"],
        refundable_status=row["refundable_status"],
        dispute=Dispute(row["dispute"]),
        charge=row["charge"],
        refunds=tuple(refund_from(refund) for refund in row["refunds"]),
        read_at=instant(row["read_at"]),
        paid_at=moment(row["paid_at"]),
        method=PaymentMethod(**row["method"]) if row["method"] else None,
        connected=row["connected"],
    )
    return facts, PaymentBook(row["reserved"], row["settled"], external)


def facts_row(facts: PaymentFacts) -> dict[str, Any]:
    """Payment facts as a row of payments, with nothing taken."""
    return {
        "payment": facts.payment,
        "account": facts.account,
        "currency": facts.currency,
        "captured": facts.captured_minor,
        "customer": facts.customer,
        "livemode": facts.livemode,
        "refundable_status": facts.refundable_status,
        "dispute": facts.dispute.value,
        "charge": facts.charge,
        "refunds": [refund_row(refund) for refund in facts.refunds],
        "read_at": facts.read_at.isoformat(),
        "paid_at": spelled(facts.paid_at),
        "method": vars(facts.method) if facts.method else None,
        "connected": facts.connected,
    }


def evidence_from(row: Row) -> RecordedEvidence:
    """A row of evidence."""
    evidence = Evidence(
        source=Source(row["source"]),
        outcome=Outcome(row["outcome"]),
        attempt=row["attempt"],
        kept=row["kept"],
        refund=refund_from(row["refund"]) if row["refund"] else None,
    )
    return RecordedEvidence(
        evidence, row["reason"], row["http_status"], row["provider_request_id"], instant(row["recorded_at"])
    )


def evidence_row(recorded: RecordedEvidence) -> dict[str, Any]:
    """A piece of evidence as a row, without its natural key."""
    evidence = recorded.evidence
    return {
        "source": evidence.source.value,
        "outcome": evidence.outcome.value,
        "attempt": evidence.attempt,
        "kept": evidence.kept,
        "refund": refund_row(evidence.refund) if evidence.refund else None,
        "reason": recorded.reason,
        "http_status": recorded.http_status,
        "provider_request_id": recorded.provider_request_id,
        "recorded_at": recorded.recorded_at.isoformat(),
    }


def sealed_from(row: Row, time: Callable[[str], datetime] = as_far_as_can_be_said) -> Sealed:
    """A row of audit, as it stands, whoever has written it.

    Raises:
        ValueError: its time is none, for whoever reads it with `instant`.
    """
    entry = Entry(row["actor"], row["action"], row["object"], row["facts"])
    return Sealed(row["environment"], row["seq"], time(row["at"]), entry, row["prev_hash"], row["hash"])
