"""What must be true after every step, judged from outside: by what was admitted and by what the provider really did.

Numbers are those of DESIGN §3.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime, timedelta

from adapters.memory.provider import Made
from governor.domain.audit import GENESIS, seal
from governor.domain.lifecycle import State
from governor.domain.limits import Limit
from governor.domain.requests import RefundRequest
from governor.ports.provider import RefundOrder
from governor.sim.latecomers import Latecomers
from governor.sim.ledger import HOLDING, SETTLED, Holder, Ledger, counted, takes, values
from governor.sim.stage import Violation
from governor.sim.sums import judge_counters, judge_payments
from governor.sim.world import ENVIRONMENT, World

LONGEST_LEASE = timedelta(seconds=60)
OLDEST_KEY = timedelta(hours=23)
"""In true time; a provider may forget a key after 24 hours, and a call takes its time."""
GONE = {"pending", "requires_action", "succeeded"}
"""A refund in one of these statuses has taken money, or will."""


class Judge:
    """Sees everything, changes nothing. `marks` counts the situations that were met."""

    def __init__(self, world: World) -> None:
        self.marks: Counter[str] = Counter()
        self._world = world
        self._tables = world.store.tables
        self._ledger = Ledger(ENVIRONMENT)
        self._requests: dict[str, RefundRequest] = {}
        self._holders: dict[str, Holder] = {}
        self._late = Latecomers(ENVIRONMENT, self._ledger, self._holders)
        self._looked_at = -1, -1
        self._claimed: dict[tuple[str, int], timedelta] = {}
        self._sent: dict[str, RefundOrder] = {}
        world.network.about_to_send = self.about_to_send
        world.watch = self.look

    def look(self) -> None:
        """Judge the books if anybody has written in them, and the money if it may have moved.

        Raises:
            Violation: a promise does not hold.
        """
        commits, changes = self._tables.commits, len(self._world.provider.events)
        if commits != self._looked_at[0]:
            self._limits_and_externals()
            self._requests_moved()
            judge_counters(self._tables, self._ledger, self._holders)
            judge_payments(self._tables, self._requests.values())
        if (commits, changes) != self._looked_at:
            self._money()
        self._looked_at = commits, changes

    # What was written

    def _limits_and_externals(self) -> None:
        founded = self._tables.environments[ENVIRONMENT].environment.created_at
        for (_, name), refund in self._tables.external.items():
            if refund.happened_at < founded:
                continue  # There was no governor yet: it takes room of its payment only.
            if name not in self._holders and takes(refund) != "nothing":
                self._ledger.took(refund, refund.happened_at, self._active())
                self.marks["made elsewhere"] += 1
            self._holders[name] = refund
        self._ledger.said = self._tables.limit_changes.values()
        for (_, name), limit in self._tables.limits.items():
            if name not in self._ledger.limits:
                taken = [(one, _since(one)) for one in self._holders.values()]
                self._ledger.created(limit, self._world.clock.now(), taken)
                self._ledger.limits[name] = limit
                self._late.came(limit, self._world.clock.now())
                self.marks["limit created over exposure"] += bool(taken)
            self._ledger.limits[name] = limit

    def _active(self) -> list[Limit]:
        return [limit for limit in self._ledger.limits.values() if not limit.archived]

    def _requests_moved(self) -> None:
        admitted, proven = [], []
        for (_, name), request in self._tables.requests.items():
            before = self._requests.get(name)
            if before is request:
                continue
            self._requests[name] = self._holders[name] = request
            if before is None and request.state is not State.DENIED:
                self._ledger.took(request, request.created_at, self._active())
                admitted.append(request)
            if before is not None:
                self._moved(before, request)
                proven += [request] if before.unproven and not request.unproven else []
        for request in proven:
            self._late.proven(request, request.updated_at)
            self.marks["proven under a late limit"] += 1
        for request in admitted:
            self._fits(request)

    def _moved(self, before: RefundRequest, after: RefundRequest) -> None:
        if (before.state, after.state) == (State.PENDING_APPROVAL, State.QUEUED):
            expired = after.expires_at is not None and after.updated_at >= after.expires_at
            self._must(not expired, "approved_after_expiry", after.id)
        if after.lease_token > before.lease_token:
            self._claimed[after.id, after.lease_token] = self._world.clock.passed
            self.marks["replayed"] += after.attempts > 1
        if after.state is not before.state:
            self.marks[f"{before.state} → {after.state}"] += 1
        self.marks["flagged for an operator"] += after.flagged_at is not None and before.flagged_at is None

    def _fits(self, request: RefundRequest) -> None:
        """Invariant 1: what was admitted fits, on every limit, together with all that was taken before."""
        for limit in self._active():
            for value in values(limit, ENVIRONMENT, request):
                if counted(limit):
                    taken = self._ledger.exposure(limit, value, request.created_at, self._holders)
                else:
                    taken = request.amount_minor if limit.measure.value == "amount" else 1
                cap = self._ledger.cap(limit, request.created_at)
                self._must(taken <= cap, "over_the_cap", f"{request.id}: {taken} of {cap} in {limit}")

    # What the provider did

    def _money(self) -> None:
        """One intent, one refund; whatever left is held or settled; nothing is settled that did not leave."""
        made: dict[str, Made] = {}
        for one in self._world.provider.made:
            name = one.refund.request_id
            if name is not None:
                self._must(name not in made, "two_refunds", name)
                made[name] = one
        for name, one in made.items():
            self._must(name in self._requests, "refund_of_nobody", name)
            request = self._requests[name]
            self._must(one.refund.amount_minor == request.amount_minor, "wrong_amount", name)
            if one.refund.status in GONE:
                taken = request.state in HOLDING | SETTLED
                self._must(taken, "money_gone_capacity_free", f"{name} is {request.state}")
        for name, request in self._requests.items():
            if request.state in SETTLED:
                whole = name in made and made[name].refund.amount_minor == request.moved_minor
                self._must(whole, "settled_without_refund", name)

    def about_to_send(self, order: RefundOrder) -> None:
        """Invariants 2, 5, 15 and 16, in the moment in which the bytes leave.

        Raises:
            Violation: a promise does not hold.
        """
        self.look()
        name, now = order.request_id, self._world.clock.passed
        request = self._requests.get(name)
        if request is None or request.state is not State.DISPATCHING:
            raise Violation("sent_without_claim", name)
        first = self._sent.setdefault(name, order)
        self._must(order == first, "identity_changed", f"{order}, not {first}")
        true_now = self._world.clock.true_now()
        age = true_now - self._world.provider.first_kept.get(order.idempotency_key, true_now)
        self._must(age < OLDEST_KEY, "old_key_sent", f"{name} after {age}")
        claimed = self._claimed[name, request.lease_token]
        self._must(now - claimed < LONGEST_LEASE, "sent_after_lease", f"{name} after {now - claimed}")
        self._must(request.cancel_requested_at is None, "sent_unwanted", name)
        unproven = [] if request.attempts > 1 else self._late.unproven(request)
        self._must(not unproven, "sent_without_proof", f"{name} under {unproven}")
        here = self._tables.environments[ENVIRONMENT].environment
        stops = (here.frozen_reason, here.paused_reason, here.halted_reason)
        self._must(stops == (None, None, None), "sent_while_stopped", f"{name}: {stops}")
        for freeze in self._tables.freezes.values():
            covered = {None, request.payment, request.customer, *request.credentials}
            stands = freeze.ended is None and freeze.value in covered
            self._must(not stands, "sent_while_stopped", f"{name}: {freeze.id}")
        for one in request.credentials:
            credential = self._tables.credentials[one][0]
            live = credential.revoked_at is None
            self._must(live, "sent_with_dead_key", name)
        self._held_everywhere(request)
        under_way = sum(call.order.request_id == name for call in self._world.network.calls)
        self.marks["two calls of one request under way"] += under_way > 0

    def _held_everywhere(self, request: RefundRequest) -> None:
        holds = self._tables.holds.get((ENVIRONMENT, request.id), ())
        held = {
            (hold.limit, self._tables.counters[hold.counter].key.value)
            for hold in holds
            if hold.state == "held"
        }
        for limit in self._active():
            for value in values(limit, ENVIRONMENT, request) if counted(limit) else ():
                self._must((limit.id, value) in held, "sent_without_hold", f"{request.id} on {limit.id}")

    # How it ends

    def everything_ended(self, *, calm: bool) -> None:
        """Nobody waits for ever: every request is final, or an operator was asked to look.

        Raises:
            Violation: somebody waits, or something was in doubt on a day without faults.
        """
        for request in self._requests.values():
            final = request.state not in HOLDING
            asked = request.flagged_at is not None or self._behind_a_flagged_one(request)
            self._must(final or asked, "stuck", f"{request.id} is {request.state}")
            self._must(not calm or final, "doubt_without_fault", f"{request.id} is {request.state}")
        doubted = self.marks["dispatching → unknown"]
        self._must(not (calm and doubted), "doubt_without_fault", f"{doubted} were unknown")
        for made in self._world.provider.made:
            if made.refund.request_id is None and made.refund.status in GONE:
                noticed = self._tables.external.get((ENVIRONMENT, made.refund.id))
                self._must(
                    noticed is not None and takes(noticed) != "nothing", "external_missed", made.refund.id
                )
        head = GENESIS
        for (environment, seq), row in sorted(self._tables.audit.items()):
            sealed = seal(environment, seq, row.at, row.entry, head)
            self._must(sealed == row, "audit_broken", f"row {seq}")
            head = row.hash

    def _behind_a_flagged_one(self, request: RefundRequest) -> bool:
        """Nothing is sent for a payment while another refund of it is in doubt."""
        return request.state is State.QUEUED and any(
            one.state is State.UNKNOWN and one.flagged_at is not None and one.payment == request.payment
            for one in self._requests.values()
        )

    @staticmethod
    def _must(holds: bool, promise: str, detail: str) -> None:
        if not holds:
            raise Violation(promise, detail)


def _since(holder: Holder) -> datetime:
    return holder.created_at if isinstance(holder, RefundRequest) else holder.happened_at
