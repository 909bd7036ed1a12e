"""Our own calls as recorded on the twin: the same bytes go out today, and the same outcome comes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import pytest

from governor.domain.outcome import Outcome
from tests.stack import PATIENCE_SECONDS
from tests.stripe.bodies import provider_at
from tests.stripe.filtered import ADDRESS
from tests.stripe.places import OnTwin
from tests.stripe.readings import READINGS, Reading
from tests.stripe.record import CASSETTES, ON_STRIPE, ON_TWIN, library, recorded_order, recorded_payment
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
    prepared = recorded_order(name)
    with library("none").use_cassette(name) as cassette:
        answer = provider_at(ADDRESS).create_refund(
            prepared, first=scenario.first, deadline_seconds=PATIENCE_SECONDS
        )
    assert cassette.play_count == 1
    assert (answer.outcome, answer.reason, answer.alarm) == (
        scenario.outcome,
        scenario.reason,
        scenario.alarm,
    )


@each_scenario
def test_the_twin_still_answers_as_it_was_recorded(twin: Twin, name: str, scenario: Scenario) -> None:
    prepared = scenario.arrange(OnTwin(twin))
    before = len(twin.settled_calls())
    answer = provider_at(twin.url).create_refund(
        prepared, first=scenario.first, deadline_seconds=PATIENCE_SECONDS
    )
    assert (answer.outcome, answer.reason, answer.alarm) == (
        scenario.outcome,
        scenario.reason,
        scenario.alarm,
    ), name
    assert len(twin.settled_calls()) == before + 1


def test_a_call_with_other_bytes_is_not_answered_from_a_cassette() -> None:
    changed = replace(recorded_order("accepted_succeeded"), amount_minor=701)
    with library("none").use_cassette("accepted_succeeded") as cassette:
        answer = provider_at(ADDRESS).create_refund(changed, first=True, deadline_seconds=PATIENCE_SECONDS)
    assert (cassette.play_count, answer.outcome) == (0, Outcome.UNKNOWN)


def test_there_is_a_cassette_for_each_situation_and_a_situation_for_each_outcome() -> None:
    assert {path.stem for path in CASSETTES.glob("*.yaml")} == {*SCENARIOS, *READINGS}
    assert {scenario.outcome for scenario in SCENARIOS.values()} == set(Outcome)


@pytest.mark.parametrize(("name", "reading"), READINGS.items(), ids=READINGS)
def test_a_recorded_read_is_the_one_we_make_and_tells_the_same(name: str, reading: Reading) -> None:
    with library("none").use_cassette(name) as cassette:
        assert reading.ask(provider_at(ADDRESS), recorded_payment(name)) == reading.answer
    assert cassette.play_count == len(cassette)


@pytest.mark.parametrize(("name", "reading"), READINGS.items(), ids=READINGS)
def test_the_twin_still_tells_what_was_read(twin: Twin, name: str, reading: Reading) -> None:
    place = OnTwin(twin)
    assert reading.ask(place.provider(), reading.arrange(place)) == reading.answer, name


@pytest.mark.parametrize("name", [*SCENARIOS, *READINGS])
def test_a_cassette_says_where_it_was_recorded_and_holds_no_secret(name: str) -> None:
    text = (CASSETTES / f"{name}.yaml").read_text(encoding="utf-8")
    by_the_twin = "Stripe-Sandbox:\n      - governor" in text
    assert text.startswith(ON_TWIN if by_the_twin else ON_STRIPE)
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
