"""The lines of each report: what a use case found, as the cells of a table (governor.console.audit.report_kinds)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Final

from governor.console.action_words import CHOICES
from governor.console.audit.report_forms import hours_in, period_in, period_sent
from governor.console.audit.report_tables import Figure, Link
from governor.console.audit.told_rows import ToldRow, headline, told
from governor.console.visit import Visit
from governor.console.words import spaced
from governor.domain.audit import Sealed
from governor.domain.audit_questions import LetGo, let_go, said_first
from governor.domain.decided import Decided
from governor.domain.windows import zone
from governor.ports.votes import VoteFilter
from governor.usecases.audit_reports import JudgedPair, Report

Cells = tuple[Any, ...]

_LET_GO: Final[Mapping[LetGo, str]] = {
    LetGo.BLOCKING: "nothing is blocked",
    LetGo.SECOND_PERSON: "one person may raise limits",
    LetGo.FRESH_PROOF: "more is approved without a fresh proof of who it is",
    LetGo.TYPED_AMOUNT: "more is approved without typing the amount",
}


def _row(row: Sealed) -> Link:
    return Link(str(row.seq), "/audit", {"from": str(row.seq), "to": str(row.seq)})


def _thing(one: ToldRow) -> tuple[str, str | None]:
    """What a row is about: its id, and what people call it."""
    return one.row.entry.object, one.about


def pairs(visit: Visit, values: dict[str, Any], at_most: int) -> Report[Cells]:
    """Pairs of people, with a way to each pair's decisions."""
    found = visit.use.audit_reports.pairs(visit.environment, period_in(visit, values))
    sent = period_sent(visit)
    return Report(tuple(_pair_line(one, sent) for one in found[:at_most]), len(found) <= at_most)


def _pair_line(judged: JudgedPair, period: dict[str, str]) -> Cells:
    pair = judged.pair
    both = {"asker": pair.asker, "approver": pair.approver}
    decisions = Link("Decisions", "/reports/decisions", period | both)
    stands_out = "stands out" if judged.stands_out else None
    return (
        pair.asker,
        pair.approver,
        pair.approved,
        pair.rejected,
        dict(pair.amounts) or None,
        stands_out,
        decisions,
    )


def no_verdict(_: Sequence[Cells]) -> None:
    """Most reports say nothing beside their lines."""


def own_decisions(lines: Sequence[Cells]) -> tuple[str, str] | None:
    """Whether anybody decided a request of their own, which governor refuses (invariant 14)."""
    own = sorted({asker for asker, approver, *_ in lines if asker == approver})
    if own:
        return (
            f"A request of their own was decided by: {', '.join(own)}. That is refused here, so look into it.",
            "danger",
        )
    return ("Nobody decided a request of their own in this period.", "success") if lines else None


def decided(visit: Visit, values: dict[str, Any], at_most: int) -> Report[Cells]:
    """Decisions on holds."""
    chosen = VoteFilter(values["asker"], values["approver"], values["under"])
    period = period_in(visit, values)
    found = visit.use.audit_reports.decided(visit.environment, period, chosen, at_most=at_most)
    return found.each(_decided_line)


def _decided_line(one: Decided) -> Cells:
    rows = Link(
        "Its rows", "/audit", {"object": one.request, "action": ["hold.decided", "refund_request.returned"]}
    )
    amount = Figure(one.amount_minor, one.currency)
    said = CHOICES[one.choice][0]
    return one.decided_at, one.request, one.asker, one.approver, said, amount, one.looked, rows


def out_of_hours(visit: Visit, values: dict[str, Any], at_most: int) -> Report[Cells]:
    """Decisions at other times than the hours that were asked for."""
    period, hours = period_in(visit, values), hours_in(values)
    found = visit.use.audit_reports.out_of_hours(visit.environment, period, hours, at_most=at_most)

    def line(row: Sealed) -> Cells:
        there = row.at.astimezone(zone(hours.time_zone))
        local = f"{there:%a} {there.day} {there:%b %Y, %H:%M}"
        one = told(row)
        return row.at, local, one.words, _thing(one), one.by, row.entry.actor, _row(row)

    return found.each(line)


def limit_changes(visit: Visit, values: dict[str, Any], at_most: int) -> Report[Cells]:
    """What was said of limits."""
    period = period_in(visit, values)
    found = visit.use.audit_reports.limit_changes(visit.environment, period, at_most=at_most)
    return found.each(_limit_line)


def _limit_line(row: Sealed) -> Cells:
    one, facts = told(row), row.entry.facts
    before, after = (_standing(facts.get(name)) for name in ("from", "to"))
    currency = after.get("currency") or before.get("currency")

    def change(name: str) -> tuple[Figure | None, Figure | None] | None:
        numbers = [one.get(name) for one in (before, after)]
        if numbers == [None, None]:
            return None
        first, second = (None if number is None else Figure(number, currency) for number in numbers)
        return first, second

    return (
        row.at,
        f"{one.words}{', allows more' if facts.get('raises') else ''}",
        _thing(one),
        one.by,
        said_first(row.entry),
        change("cap"),
        change("approval_above"),
        _later(facts.get("effective_at"), row.at),
        _later(facts.get("until"), row.at),
        facts.get("why") or None,
        _row(row),
    )


def _later(said: object, at: datetime) -> datetime | None:
    """A moment as a row says it, if it is to come; what is at once needs no moment."""
    moment = datetime.fromisoformat(said) if isinstance(said, str) else at
    return moment if moment > at else None


def _standing(said: object) -> dict[str, Any]:
    """A limit as a row says that it stood; nothing for what was not there, or is no limit."""
    return said if isinstance(said, dict) else {}


def overrides(visit: Visit, values: dict[str, Any], at_most: int) -> Report[Cells]:
    """What people set aside."""
    period = period_in(visit, values)
    found = visit.use.audit_reports.overrides(visit.environment, period, at_most=at_most)
    return found.each(_override_line)


def _override_line(row: Sealed) -> Cells:
    one, (words, detail) = told(row), _override_words(row)
    return row.at, words, _thing(one), one.by, said_first(row.entry), detail, _row(row)


def _override_words(row: Sealed) -> tuple[str, str | None]:
    """What was set aside, and by what: the second is what somebody else may have written."""
    facts = row.entry.facts
    match row.entry.action:
        case "refund_request.resolved":
            return "Two people said how it ended", str(facts.get("outcome"))
        case "refund_request.repeated":
            return "A likely duplicate was asked for deliberately", str(facts.get("duplicate_of"))
        case "limit.raised_by_requester":
            return "A limit was used by whoever had raised it", str(facts.get("refund_request"))
        case "environment.acknowledged":
            return "A stop was acknowledged, and refunds go on", facts.get("why")
        case "hold.decided":
            warned = ", ".join(spaced(one) for one in facts.get("warned", ()))
            return "It was approved though the page warned", warned
        case "environment.changed":
            return f"Since then {' and '.join(_LET_GO[kind] for kind in let_go(facts))}", None
        case _:
            return headline(row.entry), None
