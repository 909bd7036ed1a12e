"""What looks like a secret is masked, and the cheap look never overlooks one (invariant 18)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from governor.domain.redaction import masked, suspicious

# Put together here, so that this file does not hold what looks like a key.
SECRETS = {
    "gvk_test_" + "01m8abc": "gvk_test_…",
    "GVK_TEST_" + "01M8ABC": "GVK_TEST_…",
    "sk_test_" + "abc123": "sk_test_…",
    "rk_test_" + "abc123": "rk_test_…",
    "sk_live_" + "abc123": "sk_live_…",
    "whsec_" + "abc123": "whsec_…",
    "Bearer abc.def": "Bearer …",
    "postgresql://me:hush@db/x": "postgresql://me:…@db/x",
    "Some.Body+tag@Example.co.uk": "…",
    "4242424242424242": "…",
    "4000 0566 5566 5556": "…",
    "3782-822463-10005": "…",
}
PARTS = [
    "@",
    ".",
    "a",
    "A",
    "_",
    "k",
    "test",
    "live",
    "gvk",
    "sk",
    "whsec",
    "bearer",
    " ",
    ":",
    "//",
    "com",
    "\n",
    "é",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_a_secret_is_masked_within_a_sentence(secret: str) -> None:
    assert masked(f"see {secret}, please") == f"see {SECRETS[secret]}, please"
    assert suspicious(json.dumps({"deep": [secret]}, ensure_ascii=False))


@pytest.mark.parametrize(
    "harmless", ["rr_01m8", "cred_01m8", "ZD-4711", "sha256:abc", "2026-11-29T23:00:00+00:00"]
)
def test_what_governor_itself_writes_costs_only_a_look(harmless: str) -> None:
    assert masked(harmless) == harmless
    assert not suspicious(harmless)


@pytest.mark.parametrize(
    "number", ["4242424242424241", "1234567890123", "rr_4242424242424242", "4242424242424242x"]
)
def test_a_long_number_that_is_no_card_stays(number: str) -> None:
    assert masked(f"see {number}, please") == f"see {number}, please"


@given(st.lists(st.sampled_from(PARTS), max_size=12))
def test_where_the_look_says_no_masking_changes_nothing(parts: list[str]) -> None:
    text = "".join(parts)
    if not suspicious(json.dumps({"fact": text}, ensure_ascii=False)):
        assert masked(text) == text


@given(st.lists(st.sampled_from(PARTS), max_size=12))
def test_what_was_masked_is_not_masked_further(parts: list[str]) -> None:
    once = masked("".join(parts))
    assert masked(once) == once
