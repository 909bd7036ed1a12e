import click
import pytest

from governor.cli.main import COMMANDS, main
from governor.cli.options import AmountOrRest, Currency, Whole
from governor.cli.saying import Command, arithmetic
from tests.cli.telling import tell


@pytest.mark.parametrize(
    "typed", ["15.00", "1e3", "1_000", "1,000", "+5", "-5", " 5", "05", "0x10", "٣", "", "five"]
)
def test_an_amount_has_one_spelling(typed: str) -> None:
    """RELIABILITY §4.10, 188."""
    with pytest.raises(click.BadParameter):
        Whole(0).convert(typed, None, None)


@pytest.mark.parametrize(("typed", "meant"), [("0", 0), ("1500", 1500), ("99999999", 99_999_999)])
def test_whole_numbers_are_read(typed: str, meant: int) -> None:
    assert Whole(0).convert(typed, None, None) == meant


def test_a_number_outside_its_bounds_is_not_understood() -> None:
    for typed in ("0", "11"):
        with pytest.raises(click.BadParameter):
            Whole(1, 10).convert(typed, None, None)


def test_only_one_word_stands_for_an_amount() -> None:
    assert AmountOrRest(1).convert("remaining", None, None) == "remaining"
    with pytest.raises(click.BadParameter):
        AmountOrRest(1).convert("all", None, None)


@pytest.mark.parametrize("typed", ["USD", "Usd", "us", "dollar", "xxx", ""])
def test_a_currency_is_lower_case_and_known(typed: str) -> None:
    with pytest.raises(click.BadParameter):
        Currency().convert(typed, None, None)


def test_amounts_and_currencies_that_mean_nothing_are_usage_errors_whatever_else_is_missing() -> None:
    """RELIABILITY §4.10, 188."""
    for amount, currency in (("15.00", "usd"), ("1e3", "usd"), ("1500", "USD"), ("0", "usd")):
        words = ("refund", "request", "--payment", "pi_1", "--amount", amount, "--currency", currency)
        assert tell(*words).code == 2


# These become or supervise programs, whose output is a log.
_PROGRAMS = {"up", "web", "relay", "worker", "runner", "cron", "messenger", "metrics", "sandbox", "bench"}


def _commands(group: click.Group, path: tuple[str, ...] = ()) -> list[tuple[tuple[str, ...], click.Command]]:
    found: list[tuple[tuple[str, ...], click.Command]] = []
    context = click.Context(group)
    for name in group.list_commands(context):
        if not path and name in _PROGRAMS:
            continue
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            found += _commands(command, (*path, name))
        else:
            found.append(((*path, name), command))
    return found


def test_every_command_explains_itself_and_answers_in_json() -> None:
    found = _commands(main)
    assert len(found) > 20
    for path, command in found:
        assert command.help, path
        assert isinstance(command, Command), path
        assert any("--json" in option.opts for option in command.params), path


def test_no_command_takes_a_secret_as_an_argument() -> None:
    secret = {"--key", "--secret", "--token", "--password", "--pepper"}
    for path, command in _commands(main):
        assert not secret & {name for option in command.params for name in option.opts}, path


def test_the_table_of_commands_has_no_dead_entry() -> None:
    context = click.Context(main)
    assert all(main.get_command(context, name) is not None for name in COMMANDS)


def test_a_sum_is_written_as_a_sum() -> None:
    line = {
        "limit": "lim_1",
        "scope": "agent",
        "value": "ada",
        "window": "day",
        "cap": 2000,
        "settled": 0,
        "reserved": 1500,
        "headroom": 500,
        "requested": 1500,
    }
    assert arithmetic([line]) == [
        "lim_1 (agent ada, day): cap 2000 - settled 0 - reserved 1500 = 500, asked 1500: no room"
    ]
    (rolling,) = arithmetic([line | {"window": "rolling", "window_days": 7}])
    assert rolling.startswith("lim_1 (agent ada, rolling 7 days): ")
