"""The sums in the books beside those kept by hand (invariants 9, 12 and 17)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from adapters.memory.tables import Tables
from governor.domain.requests import RefundRequest
from governor.sim.ledger import Holder, Ledger, takes
from governor.sim.stage import Violation


def judge_counters(tables: Tables, ledger: Ledger, holders: Mapping[str, Holder]) -> None:
    """Every counter shows what its holders took there, and no other does.

    Raises:
        Violation: `wrong_counter`.
    """
    found = {
        ledger.place(one.key): (one.reserved, one.settled)
        for one in tables.counters.values()
        if one.reserved or one.settled
    }
    wanted = ledger.sums(holders)
    if found != wanted:
        wrong = {place for place in found | wanted if found.get(place) != wanted.get(place)}
        told = [f"{one}: {found.get(one)}, not {wanted.get(one)}" for one in sorted(wrong)]
        raise Violation("wrong_counter", "; ".join(told))


def judge_payments(tables: Tables, requests: Iterable[RefundRequest]) -> None:
    """Every payment shows what its requests took of it.

    Raises:
        Violation: `wrong_payment`.
    """
    books: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for request in requests:
        standing = takes(request)
        books[request.payment][0] += request.amount_minor if standing == "held" else 0
        books[request.payment][1] += request.moved_minor if standing == "settled" else 0
    for (_, payment), row in tables.payments.items():
        shown = [row.reserved, row.settled]
        if shown != books[payment]:
            raise Violation("wrong_payment", f"{payment}: {shown}, not {books[payment]}")
