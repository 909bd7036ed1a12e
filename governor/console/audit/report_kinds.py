"""The reports of auditors: what each asks, what it says it measures, and how its lines read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from governor.console.audit import report_lines
from governor.console.audit.report_forms import DECISIONS, HOURS, PERIOD
from governor.console.audit.report_lines import Cells
from governor.console.audit.report_tables import Column, Holds
from governor.console.fields import Form
from governor.console.visit import Visit
from governor.usecases.audit_reports import Report


@dataclass(frozen=True)
class ReportKind:
    """One report.

    `says` is what it measures, in words, `order` how its lines are sorted, and `empty` that there are none; `read` finds
    at most so many lines of what was asked for.
    """

    name: str
    title: str
    says: str
    empty: str
    form: Form
    columns: tuple[Column, ...]
    read: Callable[[Visit, dict[str, Any], int], Report[Cells]]
    order: str = "newest first"
    verdict: Callable[[Sequence[Cells]], tuple[str, str] | None] = report_lines.no_verdict
    """What all its lines together say, and the tone of it, where they are all there are; None when they say nothing."""

    @property
    def path(self) -> str:
        """Where it is."""
        return f"/reports/{self.name}"


_WHEN: Final = Column("at", "When", Holds.MOMENT)
_ROW: Final = Column("trail_row", "Row", Holds.LEADS_ON)

FOUR_EYES: Final = ReportKind(
    "four-eyes",
    "Four eyes",
    "Who decided whose requests. A pair stands out when one says yes to nearly everything of the other and never no, "
    "though others decide here, too. That is a reason to look, and no proof.",
    "Nobody decided anything in this period",
    PERIOD,
    (
        Column("asker", "Asked by", Holds.TEXT),
        Column("approver", "Decided by", Holds.TEXT),
        Column("approved", "Approved", Holds.NUMBER),
        Column("rejected", "Rejected", Holds.NUMBER),
        Column("approved_amounts", "Approved amounts", Holds.SUMS),
        Column("judgement", "Judgement", Holds.WORDS),
        Column("", "Each decision", Holds.LEADS_ON),
    ),
    report_lines.pairs,
    order="those that stand out first",
    verdict=report_lines.own_decisions,
)
DECISIONS_MADE: Final = ReportKind(
    "decisions",
    "Decisions",
    "Each person's word on each hold. How long it can have been looked at is counted from when it was asked for or last "
    "changed, or from that person's decision before, whichever is later, until it was decided. When a page was opened "
    "is not kept, so the real time is this or less. An approval that was undone in time is a line, too.",
    "No decision fits these filters",
    DECISIONS,
    (
        Column("decided_at", "Decided", Holds.MOMENT),
        Column("refund_request", "Refund request", Holds.OBJECT),
        Column("asker", "Asked by", Holds.TEXT),
        Column("approver", "Decided by", Holds.TEXT),
        Column("said", "Said", Holds.WORDS),
        Column("amount", "Amount", Holds.FIGURE),
        Column("looked_at_for_at_most", "Looked at for at most", Holds.SPAN),
        Column("", "Trail", Holds.LEADS_ON),
    ),
    report_lines.decided,
)
OUT_OF_HOURS: Final = ReportKind(
    "out-of-hours",
    "Out of hours",
    "What was decided outside these hours: about refunds, stand-ins, limits, rules, freezes, keys and "
    "settings.",
    "Nothing was decided outside these hours",
    HOURS,
    (
        _WHEN,
        Column("at_there", "In that zone", Holds.WORDS),
        Column("action", "What", Holds.WORDS),
        Column("object", "About", Holds.THING),
        Column("person", "By", Holds.TEXT),
        Column("key", "", Holds.OBJECT),
        _ROW,
    ),
    report_lines.out_of_hours,
)
LIMITS_CHANGED: Final = ReportKind(
    "limit-changes",
    "Limit changes",
    "What was said of limits: by whom, why, from what to what, and for how long. Where it took two people, the first "
    "of them is named beside the one whose word made it count.",
    "Nothing was said of a limit in this period",
    PERIOD,
    (
        _WHEN,
        Column("action", "What", Holds.WORDS),
        Column("limit", "Limit", Holds.THING),
        Column("person", "By", Holds.TEXT),
        Column("proposed_by", "Proposed by", Holds.TEXT),
        Column("cap", "Cap", Holds.CHANGE),
        Column("approval_above", "Asks above", Holds.CHANGE),
        Column("begins_later", "Begins later", Holds.MOMENT),
        Column("until", "Until", Holds.MOMENT),
        Column("why", "Why", Holds.TEXT),
        _ROW,
    ),
    report_lines.limit_changes,
)
OVERRIDDEN: Final = ReportKind(
    "overrides",
    "Overrides",
    "Where people set aside what governor or Stripe said: an outcome that nobody knew, a likely duplicate, a "
    "warning on the decision page, a stop, settings that held tighter, and limits used by whoever had raised them.",
    "Nobody set anything aside in this period",
    PERIOD,
    (
        _WHEN,
        Column("override", "What", Holds.WORDS),
        Column("object", "About", Holds.THING),
        Column("person", "By", Holds.TEXT),
        Column("said_first_by", "Said first by", Holds.TEXT),
        Column("detail", "Detail", Holds.TEXT),
        _ROW,
    ),
    report_lines.overrides,
)
KINDS: Final = (FOUR_EYES, DECISIONS_MADE, OUT_OF_HOURS, LIMITS_CHANGED, OVERRIDDEN)
