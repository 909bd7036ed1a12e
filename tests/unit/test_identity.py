import pytest

from governor.domain.errors import Invalid, Malformed
from governor.domain.identity import canonical_case, operation_key, payment_id

#   header                      key
KEYS = [
    ("refund-4711",             "refund-4711"),
    ('"refund-4711"',           "refund-4711"),
    ("12345678",                "12345678"),
    ("a" * 255,                 "a" * 255),
    ('"' + "a" * 255 + '"',     "a" * 255),
    ("!#$%&'()*+-./:<=>?@[]^_", "!#$%&'()*+-./:<=>?@[]^_"),
]  # fmt: skip


@pytest.mark.parametrize(("header", "key"), KEYS)
def test_a_quoted_and_a_bare_key_are_one_key(header: str, key: str) -> None:
    assert operation_key(header) == key


@pytest.mark.parametrize(
    "header",
    [
        "",
        "1234567",
        '"1234567"',
        "a" * 256,
        "with space-1",
        "tab\tinside-1",
        "line\nbreak-1",
        "ends-in-newline\n",
        "nul\x00inside",
        "del\x7finside",
        "ümlaut-key-1",
        "non-breaking\u2011hyphen",
        "first-key-1,second-key-2",
        "first-key-1;q=1",
        'half"quoted"',
        '"half-quoted',
        'half-quoted"',
        '""12345678""',
        '"back\\slash-1"',
        '"quoted-key-1", "quoted-key-2"',
    ],
)
def test_what_is_no_operation_key_is_refused(header: str) -> None:
    with pytest.raises(Malformed) as refused:
        operation_key(header)
    assert refused.value.code == "idempotency_key_malformed"
    assert header not in str(refused.value) or not header, "what others send is not repeated"


def test_a_missing_operation_key_has_its_own_code() -> None:
    with pytest.raises(Malformed) as refused:
        operation_key(None)
    assert refused.value.code == "idempotency_key_missing"


@pytest.mark.parametrize("spelling", ["ZD-4711", "zd-4711", "Zd-4711"])
def test_a_case_has_one_spelling(spelling: str) -> None:
    assert canonical_case(spelling) == "ZD-4711"


@pytest.mark.parametrize("value", ["A", "7", "A.B_C:D-9", "A" * 64])
def test_a_canonical_case_stays_as_it_is(value: str) -> None:
    assert canonical_case(value) == value


@pytest.mark.parametrize(
    "value",
    [
        "",
        "ZD\u20114711",
        "ZD\u002d4711 ",
        " ZD-4711",
        "ZD 4711",
        "ZD-4711\n",
        "-ZD",
        "ZD-",
        ".",
        "A" * 65,
        "ZD/4711",
        "ＺＤ-4711",
        "straße",
        "ZD\u0000",
        "ıd-1",
    ],
)
def test_no_look_alike_is_another_allowance(value: str) -> None:
    """RELIABILITY §0, 10."""
    with pytest.raises(Invalid) as refused:
        canonical_case(value)
    assert (refused.value.errors[0].pointer, refused.value.errors[0].code) == ("/case", "case_malformed")


@pytest.mark.parametrize("value", ["pi_1", "pi_3MtwBwLkdIwHu7ix28a3tqPa", "pi_" + "a" * 120])
def test_a_payment_is_a_payment_intent(value: str) -> None:
    assert payment_id(value) == value


@pytest.mark.parametrize(
    "value", ["", "pi_", "ch_1", "py_1", "PI_1", "pi_1/../2", "pi_1 ", "pi_1\n", "pi_ü", "pi_" + "a" * 121]
)
def test_what_is_no_payment_is_refused(value: str) -> None:
    with pytest.raises(Invalid) as refused:
        payment_id(value)
    assert (refused.value.errors[0].pointer, refused.value.errors[0].code) == (
        "/payment",
        "payment_malformed",
    )


@pytest.mark.parametrize("value", ["sk_test_123", "rk_test_123", "whsec_123", "gvk_test_123", "sk_live_123"])
def test_a_pasted_secret_is_told_and_not_repeated(value: str) -> None:
    with pytest.raises(Invalid) as refused:
        payment_id(value)
    assert refused.value.errors[0].code == "secret_pasted"
    assert value not in str(refused.value)
    assert value not in refused.value.errors[0].detail
