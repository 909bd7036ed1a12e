from datetime import UTC, datetime

import pytest

from governor.domain.errors import Invalid
from governor.domain.past_file import past_from_csv, past_from_ndjson

HEADER = "id,Amount,Currency,Created (UTC),Status,Payment Intent ID,Customer ID,Reason\n"


def _csv(*lines: str, header: str = HEADER, at_most: int = 100) -> list[tuple[str, int, str, str]]:
    found = past_from_csv([header, *(f"{line}\n" for line in lines)], at_most=at_most)
    return [(one.id, one.amount_minor, one.currency, one.at.isoformat()) for one in found]


def test_a_csv_of_the_dashboard_is_read_oldest_first() -> None:
    lines = (
        "re_2,15.00,usd,2026-11-02 10:20:30,succeeded,pi_1,cus_1,requested_by_customer",
        "re_1,9899,JPY,1793484000,succeeded,pi_2,,",
        "re_3,7.00,usd,2026-11-02 10:20:31,failed,pi_3,cus_1,",
        're_4,"1.500",kwd,2026-11-02T10:20:31+01:00,,pi_4,cus_1,duplicate',
    )
    assert _csv(*lines) == [
        ("re_1", 9899, "jpy", "2026-10-31T22:00:00+00:00"),
        ("re_4", 1500, "kwd", "2026-11-02T09:20:31+00:00"),
        ("re_2", 1500, "usd", "2026-11-02T10:20:30+00:00"),
    ]
    (one,) = past_from_csv([HEADER, lines[0]], at_most=1)
    assert (one.payment, one.customer, one.reason, one.agent) == (
        "pi_1",
        "cus_1",
        "requested_by_customer",
        None,
    )


#   an amount       its currency   minor units (None: it is not guessed)
AMOUNTS = [
    ("15.00",       "usd",         1500),
    ("1500",        "usd",         1500),
    ("15.0",        "usd",         None),
    ("15.000",      "usd",         None),
    ('"15,00"',     "usd",         None),
    ('"1,500.00"',  "usd",         None),
    ("1e3",         "usd",         None),
    ("-15.00",      "usd",         None),
    ("0",           "usd",         None),
    ("100000000",   "usd",         None),
    ("500",         "jpy",         500),
    ("500.00",      "jpy",         None),
    ("٥٠٠",         "usd",         None),
    ("",            "usd",         None),
    ("5.00",        "xxx",         None),
]  # fmt: skip


@pytest.mark.parametrize(("amount", "currency", "minor"), AMOUNTS)
def test_an_amount_is_read_or_refused_and_never_guessed(
    amount: str, currency: str, minor: int | None
) -> None:
    """RELIABILITY §4.10, 187, and cases 55 to 57."""
    line = f"re_1,{amount},{currency},1793484000,succeeded,,,"
    if minor is not None:
        assert _csv(line)[0][1] == minor
        return
    with pytest.raises(Invalid) as refused:
        _csv("re_0,1.00,usd,1793484000,succeeded,,,", line)
    assert "Line 3" in refused.value.detail
    assert "re_1" not in refused.value.detail, "what a line says is not repeated"


@pytest.mark.parametrize("created", ["yesterday", "", "2026-13-01", "99999999999999"])
def test_a_time_that_is_none_is_refused(created: str) -> None:
    with pytest.raises(Invalid):
        _csv(f"re_1,1.00,usd,{created},succeeded,,,")


def test_a_header_that_lacks_a_column_is_refused() -> None:
    with pytest.raises(Invalid) as refused:
        _csv(header="id,amount,created\n")
    assert "currency" in refused.value.detail


def test_more_than_can_be_replayed_is_refused_and_not_cut() -> None:
    line = "re_1,1.00,usd,1793484000,succeeded,,,"
    assert len(_csv(line, line, at_most=2)) == 2
    with pytest.raises(Invalid) as refused:
        _csv(line, line, at_most=1)
    assert refused.value.errors[0].code == "too_many_lines"


def test_refund_objects_one_a_line_are_read() -> None:
    lines = [
        '{"id": "re_1", "amount": 1500, "currency": "usd", "created": 1793484000, "payment_intent": "pi_1"}\n',
        "\n",
        '{"id": "re_2", "amount": 5, "currency": "usd", "created": 1793484001, "status": "canceled"}\n',
    ]
    (one,) = past_from_ndjson(lines, at_most=10)
    assert (one.id, one.amount_minor, one.payment, one.at) == (
        "re_1",
        1500,
        "pi_1",
        datetime.fromtimestamp(1793484000, UTC),
    )


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        '{"id": "re_1"}',
        '{"id": "re_1", "amount": 15, "currency": "usd"}',
        '{"id": "re_1", "amount": 15.0, "currency": "usd", "created": 1}',
        '{"id": "re_1", "amount": true, "currency": "usd", "created": 1}',
        '{"id": ["re_1"], "amount": 15, "currency": "usd", "created": 1}',
        "[" * 100_000,
    ],
)
def test_a_line_that_is_no_refund_is_refused(line: str) -> None:
    with pytest.raises(Invalid) as refused:
        past_from_ndjson([line], at_most=10)
    assert refused.value.errors[0].code == "line_unreadable"
