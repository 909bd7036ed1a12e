"""The parts that pages are made of, each drawn by itself."""

import re
from datetime import UTC, datetime, timedelta

import pytest

from governor.console.charts import Chart, Kind, Series, rounded_up
from governor.console.free_text import pieces
from governor.console.rendering import JINJA
from governor.console.words import EFFECTS, MEANINGS, STATES, TASKS, ago, day
from governor.domain.lifecycle import ProviderEffect, State, task

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def drawn(source: str, **facts: object) -> str:
    template = JINJA.from_string('{% import "parts.html" as parts with context %}' + source)
    return template.render(now=NOW, **facts).strip()


def test_every_state_effect_and_task_has_its_words() -> None:
    assert set(STATES) == set(MEANINGS) == set(State)
    assert set(EFFECTS) == set(ProviderEffect)
    assert {task(state, cancel_requested=wish) for state in State for wish in (True, False)} == set(TASKS)
    assert len({words for words, _ in STATES.values()}) == len(STATES)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (7199, "1 hour ago"),
        (7200, "2 hours ago"),
        (86_400 * 3, "3 days ago"),
        (-30, "in a moment"),
        (-3600, "in 1 hour"),
    ],
)
def test_a_moment_is_said_as_people_say_it(seconds: int, words: str) -> None:
    assert ago(NOW - timedelta(seconds=seconds), NOW) == words


def test_a_day_has_its_year_where_that_is_another_one() -> None:
    got = [day(NOW - timedelta(days=days), NOW) for days in (27, 400)]
    assert got == ["3 Nov", "26 Oct 2025"]


def test_a_moment_has_its_whole_self_behind_it() -> None:
    got = drawn("{{ parts.moment(at) }}", at=NOW - timedelta(hours=5))
    assert got == (
        '<time datetime="2026-11-30T07:00:00+00:00" title="30 Nov 2026, 07:00:00 UTC">5 hours ago</time>'
    )


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain text, 日本語, עברית", [(False, "plain text, 日本語, עברית")]),
        ("\u202e00.05$", [(True, "U+202E"), (False, "00.05$")]),
        (
            "a\u200bb\u200d\u2060",
            [(False, "a"), (True, "U+200B"), (False, "b"), (True, "U+200D"), (True, "U+2060")],
        ),
        ("line\nline\ttab", [(False, "line\nline\ttab")]),
        ("\x1b[31mred\x00", [(True, "U+001B"), (False, "[31mred"), (True, "U+0000")]),
        ("e\u0301", [(False, "e\u0301")]),
        ("Z" + "\u0336" * 500, [(False, "Z" + "\u0336" * 3), (True, "U+0336 ×497")]),
        ("a\u00a0b\u3000c", [(False, "a"), (True, "U+00A0"), (False, "b"), (True, "U+3000"), (False, "c")]),
        ("KWD\u00a01,000.000", [(False, "KWD\u00a01,000.000")]),
        ("F\u202fCFA\u00a0500", [(False, "F\u202fCFA\u00a0500")]),
        ("ISK\u00a0\u00a05", [(False, "ISK"), (True, "U+00A0 ×2"), (False, "5")]),
        ("\u2067\u2069", [(True, "U+2067"), (True, "U+2069")]),
        ("\ufeff\u115f\u3164", [(True, "U+FEFF"), (True, "U+115F"), (True, "U+3164")]),
        ("\U000e0041", [(True, "U+E0041")]),
        ("\u2028", [(True, "U+2028")]),
    ],
)
def test_what_cannot_be_seen_in_a_text_is_shown(text: str, shown: list[tuple[bool, str]]) -> None:
    """RELIABILITY §5.2 T26."""
    assert pieces(text) == shown


def test_a_currency_is_said_once() -> None:
    assert "ISK\u00a05.00</span>" in drawn("{{ parts.money(500, 'isk') }}")
    assert '$5.00 <span class="currency">USD</span>' in drawn("{{ parts.money(500, 'usd') }}")


def test_a_text_of_somebody_else_is_a_text_and_stays_in_its_box() -> None:
    got = drawn("{{ parts.free_text(text, 'Note') }}", text='<b onclick="x()">&amp;</b>\u202e')
    assert '<div class="quote" role="region" aria-label="Note" tabindex="0"><bdi' in got
    assert "&lt;b onclick=&#34;x()&#34;&gt;&amp;amp;&lt;/b&gt;" in got
    assert "U+202E" in got
    assert "\u202e" not in got


def test_an_absent_fact_is_said_to_be_absent() -> None:
    assert "not given" in drawn("{{ parts.fact('Case', none) }}")
    assert "not given" not in drawn("{{ parts.fact('Sum', 0) }}")


def test_a_name_that_is_missing_is_an_error_and_no_blank() -> None:
    with pytest.raises(Exception, match="'nothing' is undefined"):
        drawn("{{ nothing }}")


@pytest.mark.parametrize(
    ("value", "top"), [(1, 4), (4, 4), (5, 8), (9, 12), (20, 20), (21, 40), (1234, 2000), (2001, 4000)]
)
def test_the_upper_edge_of_a_plot_is_round_and_above_everything(value: int, top: int) -> None:
    assert rounded_up(value) == top
    assert top % 4 == 0


def test_a_line_is_broken_where_nothing_is_known() -> None:
    chart = Chart("Exposure", "It rises.", ["a", "b", "c", "d"], [Series("one", [0, 10, None, 20])])
    assert chart.path(chart.series[0]) == "M141 212L280 112M558 12"
    assert chart.ticks[0] == (212, "0")
    assert chart.ticks[-1] == (12, "20")


def test_bars_stand_on_one_another() -> None:
    series = [Series("sent", [2, 0]), Series("failed", [2, 4])]
    chart = Chart("Refunds", "Four an hour.", ["9", "10"], series, kind=Kind.BARS)
    lower, upper = chart.bars(0)[0], chart.bars(1)[0]
    assert chart.top == 4
    assert (upper.y + upper.height, upper.x) == (lower.y, lower.x)
    assert len(chart.bars(0)) == 1
    assert len(chart.bars(1)) == 2


def test_a_plot_says_the_same_in_words_and_in_a_table() -> None:
    chart = Chart(
        "Exposure of <usd>",
        "It rose from 0 to 20.",
        ["Mon", "Tue"],
        [Series("settled", [0, 20]), Series("reserved", [None, 5])],
        spelled=lambda value: f"{value} kr",
        ceiling=("cap", 30),
    )
    got = drawn("{{ parts.chart(chart, 'exposure') }}", chart=chart)
    assert "Exposure of &lt;usd&gt;" in got
    assert "It rose from 0 to 20." in got
    assert '<td class="number" data-label="settled">20 kr</td>' in got
    assert "not known" in got
    assert "cap: 30 kr" in got
    assert "style=" not in got


def test_a_plot_without_anything_to_show_says_so() -> None:
    chart = Chart("Exposure", "Nothing.", [], [])
    assert "Nothing to show yet" in drawn("{{ parts.chart(chart, 'exposure') }}", chart=chart)


def test_what_changed_of_a_hold_is_told_in_words_and_amounts_and_not_as_it_is_kept() -> None:
    said = {"kind": "answer", "text": "Yes, <b>twice</b>.", "person": "ada", "at": "2026-11-30T11:59:00Z"}
    changes = [
        {"member": "amount", "before": 20_000, "now": 15_000},
        {"member": "conversation", "before": [{"kind": "question"}], "now": [{"kind": "question"}, said]},
        {"member": "customer", "before": None, "now": "cus_anna"},
        {"member": "dispute", "before": "none", "now": "won_back"},
        {"member": "facts_read_at", "before": "2026-11-30T11:00:00Z", "now": "2026-11-30T11:59:00Z"},
        {"member": "limits", "before": [], "now": [{"cap": 1}]},
        {"member": "refundable", "before": True, "now": False},
    ]
    source = '{% import "approvals/around.html" as around with context %}{{ around.changed(changes) }}'
    text = " ".join(
        re.sub(r"<[^>]+>", " ", drawn(source, changes=changes, request={"currency": "usd"})).split()
    )
    assert "Amount $200.00 USD → $150.00 USD" in text
    assert "Answered meanwhile Yes, &lt;b&gt;twice&lt;/b&gt;. , by ada" in text
    assert "Customer not there → cus_anna" in text
    assert "Dispute none → won back" in text
    assert "Limits 0 of them → 1 of them" in text
    assert "Refundable yes → no" in text
    assert "read at" not in text
