"""Deliberate bugs, each found within its number of seeds: proof that the simulator looks where it hurts."""

from collections.abc import Iterator

import pytest

from tests.sim.canaries import CANARIES, Canary, Found, hunt

FOUND: dict[str, Found] = {}


@pytest.fixture(scope="module", autouse=True)
def _report() -> Iterator[None]:
    """How long each lived, for whoever looks (`pytest -s`)."""
    yield
    for name, found in FOUND.items():
        print(f"{name}: {found.promise} after {found.seeds} seeds")  # noqa: T201  what was measured


@pytest.mark.parametrize("canary", CANARIES.values(), ids=CANARIES)
def test_a_deliberate_bug_is_found_within_its_seeds(canary: Canary) -> None:
    """RELIABILITY §2.7."""
    found = FOUND[canary.break_it.__name__] = hunt(canary)
    assert found.promise in canary.promises
