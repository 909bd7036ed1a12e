"""Who approves whom: two people who always agree may be a team, or may share what they take (RELIABILITY §5.2, T30)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

MANY = 5
"""Fewer approvals than this are chance."""


@dataclass(frozen=True)
class Pair:
    """How one person has decided what another has asked for; `amounts` are the approved ones, minor units by currency.

    An approval that was taken back, or outdated by what the hold has shown since, is none.
    """

    asker: str
    approver: str
    approved: int
    rejected: int
    amounts: Mapping[str, int]


def unusual(pairs: Sequence[Pair]) -> list[Pair]:
    """Those where one person says yes to nearly everything of another, and never no, though others decide here, too.

    Nearly everything: three of four of all approvals that the asker got.
    """
    approvals: Counter[str] = Counter()
    for pair in pairs:
        approvals[pair.asker] += pair.approved
    alone = len({pair.approver for pair in pairs}) < 2
    return [
        pair
        for pair in pairs
        if not alone
        and pair.approved >= MANY
        and not pair.rejected
        and 4 * pair.approved >= 3 * approvals[pair.asker]
    ]
