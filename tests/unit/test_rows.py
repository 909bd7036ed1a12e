"""Refund requests and payments to their rows and back. Every field must be told, or a new one would come back as text."""

import json
from dataclasses import fields
from datetime import UTC, datetime
from types import NoneType
from typing import Any, get_args, get_type_hints

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.sql.rows import _MEANING, facts_from, facts_row, request_from, request_row
from governor.domain.admission import PaymentBook
from governor.domain.payments import PaymentMethod
from governor.domain.requests import RefundRequest
from tests.unit.values import FACTS, VISA, replaced

PLAIN = {str, int, bool, NoneType}
"""What is in JSON what it is in the request."""


def _parts(hint: Any) -> set[Any]:
    return set(get_args(hint)) or {hint}


def test_every_column_that_means_more_than_its_json_is_told() -> None:
    hints = get_type_hints(RefundRequest)
    assert {name for name, hint in hints.items() if not _parts(hint) <= PLAIN} - {"shown"} == set(_MEANING)
    assert list(hints) == [field.name for field in fields(RefundRequest)]


times = st.datetimes(datetime(1970, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001  hypothesis adds the zone
flat = st.dictionaries(st.sampled_from("ab"), st.integers(), max_size=2)
requests = st.builds(
    RefundRequest,
    **{
        "limits": st.lists(flat, max_size=2).map(tuple),
        "shown": flat,
        **{name: times for name, hint in get_type_hints(RefundRequest).items() if hint is datetime},
        **{
            name: st.none() | times
            for name, hint in get_type_hints(RefundRequest).items()
            if _parts(hint) == {datetime, NoneType}
        },
    },
)


@settings(max_examples=200, deadline=None)
@given(request=requests)
def test_a_request_comes_back_from_its_row_as_it_went(request: RefundRequest) -> None:
    row = json.loads(json.dumps(request_row(request)))
    assert request_from(row) == request


@pytest.mark.parametrize("method", [VISA, PaymentMethod("konbini"), None])
@pytest.mark.parametrize("connected", [True, False, None])
def test_the_facts_of_a_payment_come_back_as_they_went(
    method: PaymentMethod | None, connected: bool | None
) -> None:
    facts = replaced(FACTS, method=method, connected=connected)
    row = json.loads(json.dumps(facts_row(facts))) | {"reserved": 0, "settled": 0}
    assert facts_from(row, 0) == (facts, PaymentBook())
