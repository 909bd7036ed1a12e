"""What calls for an operator of what people said, of what limits have left, and of whom rules and endpoints miss."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from governor.console.page import HowMany
from governor.console.steer.attention import (
    STOPS_NAMED,
    TAKES_NOTHING,
    deaf,
    nearly_taken,
    out_of_reach,
    second_words,
    stops,
)
from governor.domain.endpoints import Disabled, Endpoint, EndpointKind
from governor.domain.environments import Environment, Mode
from governor.domain.freezes import Freeze
from governor.domain.limits import Scope, Usage
from governor.domain.quorum import reach
from governor.domain.second_person import Word
from governor.usecases.limit_board import Taken
from tests.unit.values import limit, rule

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
HERE = Environment("test", "acct_1", Mode.ENFORCE, None, None, None, 25, 3600, 0, 1, NOW)


def _word(person: str) -> Word:
    return Word(person, "cred_1", "why", NOW)


STOPPED = Freeze("frz_1", Scope.ENVIRONMENT, None, _word("eve"))


def test_a_freeze_says_whose_word_is_missing() -> None:
    (one,) = stops(HERE, [STOPPED], "finn")
    assert (one.tone, one.page) == ("danger", "/freezes/frz_1")
    assert one.words == "Everything is stopped by eve. It goes on when two people say so."
    proposed = replace(STOPPED, proposed=_word("eve"))
    told = {me: next(stops(HERE, [proposed], me)).words.partition(". ")[2] for me in ("eve", "finn", None)}
    assert told == {
        "finn": "eve wants it to go on, and waits for your word.",
        "eve": "eve wants it to go on; somebody else has to say so, too.",
        None: "eve wants it to go on; somebody else has to say so, too.",
    }


def test_what_is_stopped_in_part_is_named_and_is_no_standstill() -> None:
    (one,) = stops(HERE, [replace(STOPPED, scope=Scope.CUSTOMER, value="cus_1")], None)
    assert (one.tone, one.words.partition(".")[0]) == ("warning", "The customer cus_1 is stopped by eve")


def test_of_many_that_are_stopped_those_that_wait_for_somebody_are_named_and_the_others_counted() -> None:
    many = [
        replace(STOPPED, id=f"frz_{n}", scope=Scope.CUSTOMER, value=f"cus_{n}")
        for n in range(STOPS_NAMED + 2)
    ]
    waits = replace(many[-1], proposed=_word("eve"))
    told = [*stops(HERE, [*many[:-1], waits, STOPPED], "finn")]
    assert [one.page for one in told[:2]] == ["/freezes/frz_1", f"/freezes/{waits.id}"]
    assert (len(told), told[-1].words, told[-1].page) == (STOPS_NAMED + 1, "3 more are stopped.", "/freezes")


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"paused_reason": "unauthorized"}, "Give governor a key that works, then let refunds go on."),
        ({"halted_reason": "overrun"}, "Find out what was refunded, then let refunds go on."),
        ({"fenced_at": NOW}, "Reconcile, and look at what was made elsewhere, then let refunds go on."),
    ],
)
def test_what_governor_has_stopped_says_what_to_mend(fields: dict[str, object], words: str) -> None:
    (one,) = stops(replace(HERE, **fields), [], "eve")  # type: ignore[arg-type]  # each field has its own type
    assert (one.tone, one.page) == ("danger", "/settings")
    assert one.words.endswith(words)


def test_what_waits_for_a_second_person_is_counted() -> None:
    assert [*second_words(0, HowMany(0))] == []
    assert [(one.words, one.page) for one in second_words(1, HowMany(2))] == [
        ("1 change of a limit waits for your word.", "/limits"),
        ("Somebody has said how 2 refunds in doubt ended, and waits for your word.", "/unknown"),
    ]
    [one] = second_words(0, HowMany(1))
    assert "how a refund in doubt ended" in one.words


def test_of_more_doubt_than_was_looked_at_no_number_is_said_to_be_all() -> None:
    assert [*second_words(0, HowMany(0, are_all=False))] == []
    [one] = second_words(0, HowMany(1, are_all=False))
    assert "how 1+ refunds in doubt ended" in one.words


@pytest.mark.parametrize(
    ("taken", "cap", "words"),
    [
        (899, 1000, None),
        (900, 1000, "$1.00 is left of: "),
        (1000, 1000, "Nothing is left of: "),
        (1200, 1000, "Nothing is left of: "),
        (0, 0, None),
    ],
)
def test_a_limit_calls_before_it_stops_what_it_counts(taken: int, cap: int, words: str | None) -> None:
    found = [*nearly_taken([Taken(limit(cap=cap), Usage(settled=taken)), Taken(limit(cap=cap), None)])]
    assert [one.words[: len(words or "")] for one in found] == ([] if words is None else [words])


def test_a_rule_that_nobody_can_satisfy_calls_for_more_people() -> None:
    (one,) = out_of_reach([(rule(name="Large ones"), reach(2, None, {"ana"}))])
    assert one.words.startswith("The rule Large ones asks for 2 to approve, and only 1 may")
    assert one.tone == "danger"


def test_an_endpoint_calls_when_it_has_taken_nothing_for_longer_than_a_restart() -> None:
    fine = Endpoint("test", "ep_1", EndpointKind.WEBHOOK, "hooks.example", (), None, NOW, NOW)
    restarting = replace(fine, failing_since=NOW - TAKES_NOTHING + timedelta(seconds=1))
    assert [*deaf([fine, restarting], NOW)] == []
    failing = replace(fine, failing_since=NOW - TAKES_NOTHING)
    disabled = replace(failing, disabled_at=NOW, disabled_reason=Disabled.GONE)
    assert [(one.words, one.page) for one in deaf([failing, disabled], NOW)] == [
        (
            "The endpoint at hooks.example began to take nothing 15 minutes ago: messages wait.",
            "/endpoints/ep_1",
        ),
        ("The endpoint at hooks.example is disabled: it hears nothing.", "/endpoints/ep_1"),
    ]
