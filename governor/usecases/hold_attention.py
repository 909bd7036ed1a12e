"""What an approver says of a hold that waits without deciding it: I look at it, I want it later, somebody else must."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from governor.domain.approval import Ballot, Choice, refuse_closed
from governor.domain.approvers import refuse_approver, whose_hands
from governor.domain.attention import LOOKING_FOR, Attention, Escalation, Looker, snoozed_until
from governor.domain.canonical import digest
from governor.domain.credentials import Credential, Role
from governor.domain.errors import Forbidden, invalid
from governor.domain.requests import RefundRequest
from governor.domain.words import check_words
from governor.ports.attention import Attentions, AttentionTransaction
from governor.ports.store import UnitOfWork
from governor.usecases.callers import Caller, rights
from governor.usecases.holds import held_request, hold_of, who_may
from governor.usecases.operations import earlier, remember
from governor.usecases.stand_ins import acting_now


@dataclass(frozen=True)
class HoldAttention:
    """All of it is about holds that still wait, in the caller's environment."""

    store: UnitOfWork
    attentions: Attentions

    def of_holds(self, caller: Caller, holds: Collection[str], now: datetime) -> dict[str, Attention]:
        """What is said of each of these holds, with what the caller has snoozed; of most nothing is."""
        return self.attentions.of_holds(caller.environment, holds, caller.credential.owner, now)

    def look(self, caller: Caller, hold: str) -> Looker:
        """The caller looks at it for LOOKING_FOR from now on, unless somebody else does: who looks at it now.

        Raises:
            Forbidden: `role_not_allowed`. NotFound: `hold_not_found`.
            Conflict: `hold_already_decided`, `hold_expired`.
        """
        _, now = self._open(caller, hold)
        looker = Looker(caller.credential.owner, now + LOOKING_FOR)
        return self.attentions.look(caller.environment, hold, looker, now)

    def let_go(self, caller: Caller, hold: str) -> None:
        """The caller looks at it no more. Where they did not, nothing changes.

        Raises:
            NotFound: `hold_not_found`.
        """
        with self.store.reading() as reads:
            held_request(reads, caller.environment, hold)
        self.attentions.let_go(caller.environment, hold, caller.credential.owner)

    def snooze(self, caller: Caller, hold: str, length: str) -> datetime:
        """Hide it from what waits for the caller alone, for one of `SNOOZES`: when it comes back (UTC).

        Raises:
            Invalid: about `/length`. Forbidden: `role_not_allowed`. NotFound: `hold_not_found`.
            Conflict: `hold_already_decided`, `hold_expired`.
        """
        request, now = self._open(caller, hold)
        until = snoozed_until(length, now, request.expires_at or now)
        self.attentions.snooze(caller.environment, hold, caller.credential.owner, until, now)
        return until

    def wake(self, caller: Caller, hold: str) -> None:
        """It is among what waits for the caller again."""
        self.attentions.wake(caller.environment, hold, caller.credential.owner)

    def escalate(self, caller: Caller, hold: str, to: str | None, reason: str, key: str) -> None:
        """Call another person who may approve it, or all operators (None).

        It stands first for everybody from now on, also for those who had snoozed it.

        Raises:
            Invalid: about `/reason` or `/to`. Forbidden: `role_not_allowed`, `self_approval`.
            NotFound: `hold_not_found`. Conflict: `hold_already_decided`, `hold_expired`.
        """
        check_words("/reason", reason)
        asked, scope = {"hold": hold, "to": to, "reason": reason}, f"escalation:{caller.credential.id}"
        with self.attentions.environment(caller.environment) as tx:
            request = held_request(tx, caller.environment, hold)
            chain = rights(tx, caller, Role.APPROVER)
            if earlier(tx, scope, key, asked) is not None:
                return
            escalation = Escalation(chain[0].owner, to, reason, tx.now)
            _refuse_call(tx, request, chain, escalation)
            tx.add_escalation(hold, escalation, chain[0].id)
            tx.wake_all(hold)
            told = {"hold": hold, "called": to, "reason_digest": digest(reason)}
            tx.append_audit([caller.entry("refund_request.escalated", request.id, told)])
            remember(tx, scope, key, asked, hold)

    def _open(self, caller: Caller, hold: str) -> tuple[RefundRequest, datetime]:
        """A hold that waits, for one who approves, and the present (UTC)."""
        if caller.role is not Role.APPROVER:
            raise Forbidden("role_not_allowed", f"A credential with the role {caller.role} may not do this.")
        now = self.store.now()
        with self.store.reading() as reads:
            request = held_request(reads, caller.environment, hold)
            refuse_closed(hold_of(reads, request), now)
        return request, now


def _refuse_call(
    tx: AttentionTransaction, request: RefundRequest, chain: Sequence[Credential], call: Escalation
) -> None:
    """Refuse a call by whoever could not say no, to oneself, to the same people again, or to one who cannot approve."""
    seen = hold_of(tx, request)
    refuse_closed(seen, tx.now)
    chains = tx.credential_chains(tx.here.name, whose_hands(request, seen))
    no = Ballot(Choice.REJECT, seen.digest, seen.version)
    acting = acting_now(tx, tx.here.name, chain[0].owner, tx.now)
    refuse_approver(request, chains.get(request.requested_by, ()), chain, no, acting)
    if any((one.person, one.to) == (call.person, call.to) for one in tx.escalations(seen.id)):
        raise invalid("/to", "called_already", "You have escalated it to them already.")
    if call.to == call.person:
        raise invalid("/to", "oneself", "Escalate it to somebody else.")
    if call.to is not None and call.to not in who_may(tx, request, seen, chains, tx.now):
        raise invalid("/to", "cannot_approve", "This person cannot approve it.")
