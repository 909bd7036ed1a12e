"""Whose is a refund that the provider shows? Ours, if it can be told by its id, our metadata or our key.

The same amount is never a match: two equal refunds of one payment are legitimate (STRIPE.md §7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from governor.domain.evidence import how_far
from governor.domain.external import ExternalRefund
from governor.domain.lifecycle import State
from governor.domain.payments import ProviderRefund
from governor.domain.requests import RefundRequest, request_of_key


@dataclass(frozen=True)
class Sighting:
    """One refund as the provider shows it, and whose it is: a request's, or made elsewhere."""

    refund: ProviderRefund
    request: RefundRequest | None
    known: ExternalRefund | None
    """What is kept of it as a refund made elsewhere."""

    @property
    def tells_something(self) -> bool:
        """Whether it says anything that is not in the books yet."""
        if self.request is None:
            return self.known is None or how_far(self.refund.status) > how_far(self.known.status)
        return self.known_as_external or not _settled_by(self.request, self.refund)

    @property
    def known_as_external(self) -> bool:
        """Whether a request's refund still takes room as one made elsewhere."""
        return self.known is not None and self.known.request is None


def sightings(
    refunds: Iterable[ProviderRefund],
    requests: Mapping[str, RefundRequest],
    known: Mapping[str, ExternalRefund],
    keys: Mapping[str, str],
) -> list[Sighting]:
    """Tell whose each refund is. `requests` and `known` by id; `keys`: refund id → the key of the call that made it."""
    by_reference = {one.provider_reference: one for one in requests.values() if one.provider_reference}
    found = []
    for refund in refunds:
        named = refund.request_id or request_of_key(keys.get(refund.id))
        owner = requests.get(named or "") or by_reference.get(refund.id)
        # A denied request has no holds that could move: what names it counts as made elsewhere.
        ours = owner if owner is not None and owner.state is not State.DENIED else None
        found.append(Sighting(refund, ours, known.get(refund.id)))
    return found


_WORDS = {
    State.SUCCEEDED: {"succeeded"},
    State.PROVIDER_PENDING: {"pending", "requires_action"},
    State.FAILED: {"failed", "canceled"},
    State.REVERSED: {"failed", "canceled"},
}


def _settled_by(request: RefundRequest, refund: ProviderRefund) -> bool:
    """Whether this refund, just so, is what the request's state rests on."""
    return (
        refund.status in _WORDS.get(request.state, ())
        and refund.id == request.provider_reference
        and (refund.amount_minor, refund.currency, refund.payment)
        == (request.amount_minor, request.currency, request.payment)
    )
