"""A message is carried to an endpoint: claimed under a lease, carried with no transaction open, and its end recorded.

At least once, each time under the same message id: a process that dies after the call and before the record carries
it again (RELIABILITY §3 K4). One that dies of it each time does so as often as any endpoint may refuse, and no more.
"""

from __future__ import annotations

from dataclasses import dataclass

import structlog

from governor.checkpoint import checkpoint
from governor.domain.audit import Entry
from governor.domain.deliveries import MOST_TRIES, Receipt, next_try_at
from governor.domain.endpoints import FAILING_AT_MOST, Disabled, EndpointKind
from governor.domain.errors import InvariantBroken, Unavailable
from governor.domain.wording import Words, worded
from governor.logging import what_broke
from governor.ports.couriers import Box, Couriers, Letter
from governor.ports.messages import Claimed, EndpointStore, Outgoing

log = structlog.get_logger("governor")
_NO_WORDS = Words("", "")


@dataclass(frozen=True)
class DeliverMessages:
    """Carry what is due. `console_url` is where links lead; None for none."""

    store: EndpointStore
    outgoing: Outgoing
    couriers: Couriers
    box: Box
    console_url: str | None

    def claim(self, at_most: int) -> tuple[Claimed, ...]:
        """Deliveries that are due, ours for a minute.

        Raises:
            Unavailable: the database is away.
        """
        claimed = self.outgoing.claim(at_most=at_most)
        checkpoint("deliver.claimed")
        return claimed

    def send(self, claimed: Claimed) -> Receipt:
        """Carry one, and record what became of it.

        Raises:
            Unavailable: the database is away; the delivery is tried again when its lease is over.
        """
        receipt = (
            self._carried(claimed) if claimed.tries <= MOST_TRIES else Receipt(None, "never_recorded", 0)
        )
        checkpoint("deliver.carried")
        self._record(claimed, receipt)
        checkpoint("deliver.recorded")
        return receipt

    def _carried(self, claimed: Claimed) -> Receipt:
        """Whatever nobody has thought of is a try that failed: it backs off, and ends, as any other."""
        try:
            return self.couriers.carry(claimed.endpoint.kind, self._letter(claimed))
        except Unavailable:
            raise
        except InvariantBroken as error:
            return Receipt(None, error.code, 0)
        except Exception as error:  # noqa: BLE001  one message's fault stays its own
            log.error(  # noqa: TRY400  the text of an exception may hold anything
                "delivery.broke", message=claimed.message.id, **what_broke(error)
            )
            return Receipt(None, "internal_error", 0)

    def _letter(self, claimed: Claimed) -> Letter:
        sealed, endpoint = claimed.sealed, claimed.endpoint
        target = self.box.open(sealed.target, endpoint.seat("target"))
        secrets = [sealed.secret] if sealed.secret is not None else []
        until = endpoint.previous_until
        if sealed.previous is not None and until is not None and claimed.claimed_at < until:
            secrets.append(sealed.previous)
        opened = tuple(self.box.open(one, endpoint.seat("secret")) for one in secrets)
        return Letter(claimed.message, self._words(claimed), target, opened)

    def _words(self, claimed: Claimed) -> Words:
        """For people; programs get the id, and look up what they may know."""
        if claimed.endpoint.kind is EndpointKind.WEBHOOK:
            return _NO_WORDS
        message = claimed.message
        with self.store.reading() as reads:
            request = reads.request(message.environment, message.object)
        return worded(message, request, self.console_url)

    def _record(self, claimed: Claimed, receipt: Receipt) -> None:
        if receipt.error is None:
            self.outgoing.delivered(claimed, receipt)
            return
        now = self.store.now()
        again = next_try_at(now, claimed.message.id, claimed.tries)
        since = self.outgoing.failed(claimed, receipt, again)
        if receipt.gone:
            self._disable(claimed, Disabled.GONE)
        elif since is not None and now - since >= FAILING_AT_MOST:
            self._disable(claimed, Disabled.FAILING)

    def _disable(self, claimed: Claimed, why: Disabled) -> None:
        endpoint = claimed.endpoint
        with self.store.environment(endpoint.environment) as tx:
            found = tx.endpoint(endpoint.environment, endpoint.id)
            if found is None or found[0].disabled_at is not None:
                return
            tx.disable_endpoint(endpoint.id, why)
            since = found[0].failing_since
            told = {"why": why.value, "failing_since": since.isoformat() if since else None}
            tx.append_audit([Entry("governor", "endpoint.disabled", endpoint.id, told)])
