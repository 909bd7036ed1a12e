"""The standard library's encoder against the reference implementation of RFC 8785."""

import json
from typing import Any

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from governor.domain.canonical import canonical_json, digest

# RFC 8785 speaks of doubles: beyond 2**53 the reference implementation refuses integers.
texts = st.text(st.characters(exclude_categories=["Cs"]))
scalars = st.none() | st.booleans() | st.integers(-(2**53) + 1, 2**53 - 1) | texts
names = st.text(st.characters(max_codepoint=127))
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=5)
)


@settings(max_examples=1000, deadline=None)
@given(value=values)
def test_one_spelling_and_the_same_as_the_reference(value: Any) -> None:
    spelled = canonical_json(value)
    assert spelled == rfc8785.dumps(value)
    assert json.loads(spelled) == value


@settings(max_examples=300, deadline=None)
@given(pairs=st.dictionaries(names, scalars, min_size=2, max_size=6), data=st.data())
def test_the_order_of_keys_is_no_content(pairs: dict[str, Any], data: st.DataObject) -> None:
    other = dict(data.draw(st.permutations(list(pairs.items()))))
    assert canonical_json(other) == canonical_json(pairs)
    assert digest(other) == digest(pairs)
    assert digest(pairs).startswith("sha256:")


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": float("-inf")}, "\ud800"])
def test_what_has_no_spelling_is_refused(value: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011  which of the ValueErrors is the library's affair
        canonical_json(value)


@pytest.mark.parametrize("value", [{1, 2}, b"bytes", object()])
def test_what_is_no_json_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        canonical_json(value)
