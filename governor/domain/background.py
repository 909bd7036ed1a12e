"""What stands around a payment at the provider: whether the card's bank has warned of fraud, what its customer paid before.

It is shown to whoever decides, and decides nothing: a look that fails stops nobody. So it is no part of what the digest
of a hold binds (docs/decisions.md says why).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

CHARGES_AT_MOST = 100
"""A customer's newest charges, as many as the provider lists at once; whether there are more is said."""


@dataclass(frozen=True)
class CustomerPast:
    """What a customer's newest charges say. Sums in minor units by currency, what was refunded as the charges count it.

    `paid` is how many were captured, `refunded` and `disputed` how many of those were, wholly or in part; `first_at` (UTC)
    is when the oldest of them was made, None when there is none. `whole` is False when there are older ones.
    """

    first_at: datetime | None
    paid: int
    refunded: int
    disputed: int
    paid_minor: Mapping[str, int]
    refunded_minor: Mapping[str, int]
    whole: bool


@dataclass(frozen=True)
class Background:
    """What is known of it; the newest look was at `read_at`. What is None was never read, or there is nobody to read it of.

    What that look could not read stays as an earlier one did: each of the two says when that was. Times are UTC.
    """

    read_at: datetime
    fraud_warning: bool | None
    fraud_read_at: datetime | None
    customer: CustomerPast | None
    customer_read_at: datetime | None

    @classmethod
    def looked(cls, at: datetime, fraud_warning: bool | None, customer: CustomerPast | None) -> Background:
        """What one look says."""
        fraud_read_at = None if fraud_warning is None else at
        return cls(at, fraud_warning, fraud_read_at, customer, None if customer is None else at)

    @property
    def is_missed(self) -> bool:
        """Whether the newest look could read nothing at all."""
        return self.read_at not in {self.fraud_read_at, self.customer_read_at}
