"""The environment's settings in the console, and letting refunds go on after they were stopped by no person."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from governor.console.steer.spans import approval_span, span_words
from governor.domain.credentials import Role
from governor.domain.environments import Environment, Mode
from governor.usecases.callers import host
from governor.usecases.change_environment import EnvironmentDraft
from tests.builders import World
from tests.console.browsing import SentForm, Visitor

SETTINGS = "/console/e/test/settings"


@pytest.fixture(autouse=True, scope="module")
def _rate(world: World) -> None:
    """The world's own rate is one that no operator can choose."""
    draft = EnvironmentDraft(Mode.ENFORCE, 25, 3600)
    world.app.change_environment(world.operator, draft, here(world).revision)


@pytest.fixture
def cleo(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.OPERATOR)


def here(world: World) -> Environment:
    return world.app.queries.environment(world.operator)


def test_the_mode_is_changed_after_a_look_at_what_it_means(world: World, cleo: Visitor) -> None:
    form = cleo.get(f"{SETTINGS}/edit").form("Look at the change")
    before = here(world)
    check = cleo.send(form, mode="observe")
    assert "From then on nothing is blocked" in check.text
    assert here(world) == before
    done = cleo.send(check.form("Stop blocking anything"))
    assert "The settings were changed." in done.text
    assert here(world) == replace(before, mode=Mode.OBSERVE, revision=before.revision + 1)
    assert "They stand as you asked." in cleo.send(check.form("Stop blocking anything")).text
    back = cleo.send(cleo.get(f"{SETTINGS}/edit").form("Look at the change"), mode="enforce")
    assert "It counts at once" in back.text
    cleo.send(back.form("Enforce from now on"))
    assert here(world).mode is Mode.ENFORCE


def test_whoever_comes_second_sees_what_theirs_would_change_now(world: World, cleo: Visitor) -> None:
    tabs = [cleo.get(f"{SETTINGS}/edit").form("Look at the change") for _ in range(2)]
    checks = [cleo.send(tab, approval=span) for tab, span in zip(tabs, ("3 hours", "2 days"), strict=True)]
    cleo.send(checks[0].form("Change the settings"))
    late = cleo.send(checks[1].form("Change the settings"))
    assert (late.status, late.title) == (412, "Somebody changed the settings meanwhile")
    assert "3 hours → 2 days" in late.text
    assert here(world).approval_seconds == 3 * 3600
    cleo.send(late.form("Change the settings"))
    assert here(world).approval_seconds == 2 * 24 * 3600


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ("approval", "soon", "Type a number of seconds, minutes"),
        ("approval", "31 days", "at most 30 days"),
        ("approval", "0 hours", "at least 1 minute"),
        ("rate", "0", "from 1 to 1000"),
        ("rate", "١", "from 1 to 1000"),
        ("rate", "1001", "from 1 to 1000"),
        ("rate", "0025000", "from 1 to 1000"),
        ("prove_above", "500.00", "Type each amount with its currency"),
        ("prove_above", "500.00 usd, 400.00 USD", "USD is named twice"),
        ("type_above", "5,00 usd", "Type each amount with its currency"),
        ("type_above", "5.0 usd", "USD has 2 digits behind the point"),
        ("mode", "off", "Choose one of the answers"),
    ],
)
def test_what_cannot_be_set_is_refused_at_its_field(
    world: World, cleo: Visitor, field: str, typed: str, words: str
) -> None:
    before = here(world)
    page = cleo.send(cleo.get(f"{SETTINGS}/edit").form("Look at the change"), **{field: typed})
    assert page.status == 422
    assert words in page.text
    assert here(world) == before


def test_one_person_does_not_take_back_that_two_are_needed(world: World, cleo: Visitor) -> None:
    form = cleo.get(f"{SETTINGS}/edit").form("Look at the change")
    check = cleo.send(form, raises_need_two="yes", reasons_required="yes")
    assert "A limit that allows more, and the end of one, take two people no → yes" in check.text
    cleo.send(check.form("Change the settings"))
    assert here(world).raises_need_two
    back = cleo.get(f"{SETTINGS}/edit").form("Look at the change")
    kept = [pair for pair in back.fields if pair[0] != "raises_need_two"]
    refused = cleo.send(SentForm(back.method, back.action, kept))
    assert refused.status == 422, "before the last look, not after it"
    assert refused.form("Look at the change").value("reasons_required") == "yes", "nothing typed is lost"
    assert "Only whoever operates the host" in refused.text
    assert here(world).raises_need_two
    draft = EnvironmentDraft(Mode.ENFORCE, 25, 3600)
    world.app.change_environment(host("test"), draft, here(world).revision)


def test_operators_say_from_which_amounts_on_a_click_is_not_enough(world: World, cleo: Visitor) -> None:
    form = cleo.get(f"{SETTINGS}/edit").form("Look at the change")
    check = cleo.send(form, prove_above="500.00 usd, 5000 jpy", type_above="1000 USD")
    assert "proof of who it is never → 5000 jpy, 500.00 usd" in check.text
    cleo.send(check.form("Change the settings"))
    assert here(world).prove_above == {"usd": 50_000, "jpy": 5000}
    assert here(world).type_above == {"usd": 100_000}
    assert "5000 jpy, 500.00 usd" in cleo.get(SETTINGS).text
    back = cleo.send(cleo.get(f"{SETTINGS}/edit").form("Look at the change"), prove_above="", type_above="")
    cleo.send(back.form("Change the settings"))
    assert (here(world).prove_above, here(world).type_above) == ({}, {})


def test_a_form_that_changes_nothing_says_so(cleo: Visitor) -> None:
    assert "Nothing: it stands" in cleo.send(cleo.get(f"{SETTINGS}/edit").form("Look at the change")).text


def test_a_stop_is_acknowledged_with_a_reason_and_once(world: World, cleo: Visitor) -> None:
    with world.app.store.environment("test") as tx:
        tx.save_environment(replace(tx.here, halted_reason="overrun", revision=tx.here.revision + 1))
    overview = cleo.get("/console/e/test/overview").text
    assert "Find out what was refunded, then let refunds go on." in overview
    assert "Stopped 0 freezes , and everything, by governor itself" in overview
    assert f"{SETTINGS}/acknowledge" in cleo.get(SETTINGS).links
    page = cleo.get(f"{SETTINGS}/acknowledge")
    assert "governor halted: what Stripe shows does not fit" in page.text
    button = "Let refunds go on"
    assert "Fill in: Why." in cleo.send(page.form(button)).text
    assert here(world).halted_reason == "overrun"
    assert "Refunds go on." in cleo.send(page.form(button), reason="one refund was made by hand").text
    assert here(world).stopped is None
    again = cleo.send(page.form(button), reason="one refund was made by hand")
    assert again.status == 422
    assert "neither fenced, halted nor paused" in again.text


def test_a_span_is_read_as_it_is_written() -> None:
    most = 30 * 24 * 3600
    for seconds in (60, 61, 90, 90 * 60, 3600, 3601, 8 * 3600, 24 * 3600, most - 1, most):
        assert approval_span(span_words(seconds)) == seconds
    assert span_words(61) == "61 seconds"


def test_a_fence_is_told_as_what_it_is(world: World, cleo: Visitor) -> None:
    with world.app.store.environment("test") as tx:
        fenced = replace(tx.here, fenced_at=tx.now, revision=tx.here.revision + 1)
        tx.save_environment(fenced)
    (stop,) = cleo.get(SETTINGS).all("div", class_="stop")
    assert re.search(
        r"The database is another one since [^,]+, [\d:]+ UTC \(just now ?\) , and may have forgotten",
        stop.text,
    )
    with world.app.store.environment("test") as tx:
        tx.save_environment(replace(tx.here, fenced_at=None, revision=tx.here.revision + 1))
