"""What several limits leave together, which of them is the narrowest, and where each cap comes from."""

from datetime import UTC, datetime, timedelta

import pytest

from governor.domain.limit_lines import LimitLine, Origin, line_of, most_at_once, narrowest, origin_of
from governor.domain.limits import CounterKey, Limit, Measure, Scope, Step, Subject, Usage, charges_for
from governor.domain.windows import WindowKind

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)
SOON = NOW + timedelta(hours=3)
SUBJECT = Subject("test", ("cred_child", "cred_parent"), "bot", "cus_1", "pi_1", None, "usd")


def a_limit(
    number: int,
    cap: int,
    scope: Scope = Scope.ENVIRONMENT,
    value: str | None = None,
    measure: Measure = Measure.AMOUNT,
    steps: tuple[Step, ...] = (),
) -> Limit:
    currency = "usd" if measure is Measure.AMOUNT else None
    made = Limit(
        f"lim_{number}",
        scope,
        value,
        measure,
        currency,
        WindowKind.DAY,
        None,
        "UTC",
        cap,
        None,
        1,
        steps=steps,
    )
    return made.at(NOW)


def lines(*limits: Limit, taken: int = 0) -> tuple[LimitLine, ...]:
    charges = charges_for(SUBJECT, 0, limits, NOW)
    usage: dict[CounterKey, Usage] = {charge.key: Usage(reserved=taken) for charge in charges}
    return tuple(line_of(charge, usage) for charge in charges)


def test_the_amount_with_the_least_room_is_the_narrowest_and_says_how_much_fits() -> None:
    found = lines(
        a_limit(1, 500), a_limit(2, 300, Scope.CUSTOMER), a_limit(3, 9, measure=Measure.COUNT), taken=5
    )
    first = narrowest(found)
    assert first is not None
    assert (first.charge.limit.id, most_at_once(found, None)) == ("lim_2", 295)
    assert most_at_once(found, 120) == 120
    assert most_at_once(found, 700) == 295


@pytest.mark.parametrize("count", [5, 3])
def test_a_count_that_is_used_up_is_narrower_than_any_amount(count: int) -> None:
    found = lines(a_limit(1, 500), a_limit(2, count, measure=Measure.COUNT), taken=5)
    first = narrowest(found)
    assert first is not None
    assert (first.charge.limit.id, most_at_once(found, None)) == ("lim_2", 0)


def test_where_more_is_taken_than_a_lowered_cap_allows_nothing_fits() -> None:
    assert most_at_once(lines(a_limit(1, 100), taken=250), None) == 0


def test_without_an_amount_limit_nothing_fits_and_a_childs_own_cap_is_none() -> None:
    counted = lines(a_limit(1, 10, measure=Measure.COUNT))
    assert (narrowest(counted), most_at_once(counted, 500), most_at_once((), 500)) == (None, 0, 0)
    childs = lines(a_limit(1, 900, Scope.CREDENTIAL, "cred_child"))
    assert narrowest(childs) is childs[0]
    assert most_at_once(childs, None) == 0


def test_a_cap_comes_from_the_value_itself_from_all_its_like_or_from_a_key_above() -> None:
    own = a_limit(1, 5, Scope.CREDENTIAL, "cred_child")
    above = a_limit(2, 5, Scope.CREDENTIAL, "cred_parent")
    each = a_limit(3, 5, Scope.CREDENTIAL)
    found = [(line.charge.limit.id, origin_of(line, SUBJECT, NOW)) for line in lines(own, above, each)]
    assert found == [
        ("lim_1", Origin(named=True, above=False)),
        ("lim_2", Origin(named=True, above=True)),
        ("lim_3", Origin(named=False, above=False)),
        ("lim_3", Origin(named=False, above=True)),
    ]


def test_a_cap_for_a_time_says_what_counts_when_it_ends() -> None:
    steps = (
        Step("chg_1", 400, None, NOW - timedelta(days=1), None),
        Step("chg_2", 900, None, NOW - timedelta(hours=1), SOON),
    )
    (line,) = lines(a_limit(1, 0, steps=steps))
    assert line.charge.limit.cap == 900
    assert origin_of(line, SUBJECT, NOW) == Origin(named=False, above=False, until=SOON, then=400)


def test_a_cap_that_another_follows_says_the_first_time_at_which_it_changes() -> None:
    """A lasting cut within a raise for a time counts from its own time on, and not from the raise's end."""
    cut = SOON - timedelta(minutes=1)
    steps = (
        Step("chg_1", 400, None, NOW - timedelta(days=1), None),
        Step("chg_2", 900, None, NOW - timedelta(hours=1), SOON),
        Step("chg_3", 900, None, cut - timedelta(seconds=1), None),
        Step("chg_4", 300, None, cut, None),
    )
    (line,) = lines(a_limit(1, 0, steps=steps))
    assert origin_of(line, SUBJECT, NOW) == Origin(named=False, above=False, until=cut, then=300)


def test_a_cap_is_followed_past_what_changes_the_threshold_alone() -> None:
    """Who is asked from then on is no other cap: it is told when that comes, be it a turn later."""
    steps = (
        Step("chg_1", 1000, None, NOW - timedelta(days=1), None),
        Step("chg_2", 1000, 500, NOW + timedelta(hours=1), None),
        Step("chg_3", 200, 500, (cut := NOW + timedelta(hours=2)), None),
    )
    (line,) = lines(a_limit(1, 1000, steps=steps))
    assert origin_of(line, SUBJECT, NOW) == Origin(named=False, above=False, until=cut, then=200)
    assert line.charge.limit.turn(NOW) == (steps[1].effective_at, line.charge.limit.at(steps[1].effective_at))
    (line,) = lines(a_limit(1, 1000, steps=steps[:2]))
    assert origin_of(line, SUBJECT, NOW) == Origin(named=False, above=False)
