"""Our own calls as recorded on the twin: the same bytes go out today, and the same outcome comes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from governor.domain.outcome import Outcome
from tests.stripe.bodies import order, provider_at
from tests.stripe.record import ADDRESS, CASSETTES, WHERE, library, payment_of
from tests.stripe.scenarios import SCENARIOS, Scenario
from tests.twin import Twin

SECRET = re.compile(
    r"[srp]k_(?:test|live)_\w|whsec_|client_secret|Bearer (?!FILTERED|realm)|[\w.]+@[\w.]+\.\w+|127\.0\.0\.1|localhost",
)


@pytest.fixture(scope="module")
def twin() -> Iterator[Twin]:
    with Twin() as running:
        yield running


each_scenario = pytest.mark.parametrize(("name", "scenario"), SCENARIOS.items(), ids=SCENARIOS)


@each_scenario
def test_the_recorded_call_is_the_one_we_make_and_proves_the_same(name: str, scenario: Scenario) -> None:
    prepared = order(payment=payment_of(name))
    with library("none").use_cassette(name) as cassette:
        answer = provider_at(ADDRESS).create_refund(prepared, first=scenario.first, deadline_seconds=5)
    assert cassette.play_count == 1
    assert (answer.outcome, answer.reason, answer.alarm) == (
        scenario.outcome,
        scenario.reason,
        scenario.alarm,
    )


@each_scenario
def test_the_twin_still_answers_as_it_was_recorded(twin: Twin, name: str, scenario: Scenario) -> None:
    twin.reset()
    prepared = scenario.arrange(twin)
    before = len(twin.settled_calls())
    answer = provider_at(twin.url).create_refund(prepared, first=scenario.first, deadline_seconds=5)
    assert (answer.outcome, answer.reason, answer.alarm) == (
        scenario.outcome,
        scenario.reason,
        scenario.alarm,
    ), name
    assert len(twin.settled_calls()) == before + 1


def test_a_call_with_other_bytes_is_not_answered_from_a_cassette() -> None:
    changed = order(payment=payment_of("accepted_succeeded"), amount_minor=701)
    with library("none").use_cassette("accepted_succeeded") as cassette:
        answer = provider_at(ADDRESS).create_refund(changed, first=True, deadline_seconds=5)
    assert (cassette.play_count, answer.outcome) == (0, Outcome.UNKNOWN)


def test_there_is_a_cassette_for_each_situation_and_a_situation_for_each_outcome() -> None:
    assert {path.stem for path in CASSETTES.glob("*.yaml")} == set(SCENARIOS)
    assert {scenario.outcome for scenario in SCENARIOS.values()} == set(Outcome)


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_cassette_says_where_it_was_recorded_and_holds_no_secret(name: str) -> None:
    text = (CASSETTES / f"{name}.yaml").read_text(encoding="utf-8")
    assert text.startswith(WHERE)
    assert "Stripe-Sandbox:\n      - governor" in text
    assert SECRET.findall(text.replace("sk_test_***", "")) == []


@pytest.mark.parametrize(
    "leak",
    [
        "sk_test_" + "abc",
        "rk_test_" + "abc",
        "whsec_" + "abc",
        "Bearer abc",
        "ada@example.com",
        "client_secret",
    ],
)
def test_the_search_for_secrets_finds_them(leak: str) -> None:
    assert SECRET.search(f"authorization: {leak}")
