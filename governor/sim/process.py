"""The memory of one process: every use case, built over the ports as bootstrap builds them.

Each actor has one of its own, so that whoever dies takes nothing with it that others know.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from governor.sim.clock import SimClock
from governor.sim.network import Network
from governor.sim.ports import SimIds, SteppedInbox, SteppedStore
from governor.usecases.answer_question import AnswerQuestion
from governor.usecases.cancel_refund import CancelRefund
from governor.usecases.catch_up import CatchUp
from governor.usecases.change_environment import ChangeEnvironment
from governor.usecases.change_limit import ChangeLimit
from governor.usecases.decide_hold import DecideHold
from governor.usecases.dispatch_refund import DispatchRefund
from governor.usecases.expire_holds import ExpireHolds
from governor.usecases.freeze import FreezeRefunds
from governor.usecases.manage_credentials import ManageCredentials
from governor.usecases.payment_facts import ReadPaymentFacts
from governor.usecases.read_inbox import ReadInbox
from governor.usecases.recover_leases import RecoverLeases
from governor.usecases.recover_refund import RecoverRefund
from governor.usecases.request_refund import RequestRefund

FACTS_MAX_AGE = timedelta(seconds=60)
APPROVAL_FACTS_MAX_AGE = timedelta(minutes=15)
EVENTS_EVERY, REFUNDS_EVERY = timedelta(minutes=5), timedelta(hours=1)
_PEPPER = b"sim-pepper-sim-pepper-sim-pepper-sim"


@dataclass(frozen=True)
class Process:
    """All verbs, ready to call."""

    store: SteppedStore
    request_refund: RequestRefund
    cancel_refund: CancelRefund
    decide_hold: DecideHold
    answer_question: AnswerQuestion
    change_limit: ChangeLimit
    manage_credentials: ManageCredentials
    change_environment: ChangeEnvironment
    dispatch_refund: DispatchRefund
    expire_holds: ExpireHolds
    recover_leases: RecoverLeases
    recover_refund: RecoverRefund
    freeze_refunds: FreezeRefunds
    read_inbox: ReadInbox
    catch_up: CatchUp


def process(
    store: SteppedStore, inbox: SteppedInbox, network: Network, clock: SimClock, ids: SimIds
) -> Process:
    """A process that has just started."""
    facts = ReadPaymentFacts(store, network, FACTS_MAX_AGE)
    dispatch = DispatchRefund(store, network, clock.monotonic)
    return Process(
        store=store,
        request_refund=RequestRefund(store, facts, ids),
        cancel_refund=CancelRefund(store),
        decide_hold=DecideHold(store, facts, APPROVAL_FACTS_MAX_AGE),
        answer_question=AnswerQuestion(store),
        change_limit=ChangeLimit(store, ids),
        manage_credentials=ManageCredentials(store, ids, _PEPPER),
        change_environment=ChangeEnvironment(store, network, inbox),
        dispatch_refund=dispatch,
        expire_holds=ExpireHolds(store),
        recover_leases=RecoverLeases(store),
        recover_refund=RecoverRefund(store, network, dispatch),
        freeze_refunds=FreezeRefunds(store, ids),
        read_inbox=ReadInbox(store, inbox, facts),
        catch_up=CatchUp(store, inbox, network, facts, EVENTS_EVERY, REFUNDS_EVERY),
    )
