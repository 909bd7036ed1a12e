"""Building everything: the only place, with its parts beside it, that knows concrete classes. Tests call it with fakes."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property

from sqlalchemy import Engine

from adapters.clock import FileOffset, no_offset
from adapters.ids import TypeIds
from adapters.queue.doorbell import RqDoorbell
from adapters.sql.engine import make_engine
from adapters.sql.fsck import SqlBooks
from adapters.sql.inbox import SqlInbox
from adapters.sql.outbox import Outbox
from adapters.sql.past import SqlPast
from adapters.sql.readiness import Readiness
from adapters.sql.runs import SqlRuns
from adapters.sql.unit_of_work import SqlUnitOfWork
from adapters.stripe.provider import StripeProvider
from governor import wiring
from governor.ports.provider import PaymentProvider
from governor.reading_rooms import ReadingRooms
from governor.settings import Settings
from governor.usecases.answer_question import AnswerQuestion
from governor.usecases.approval_rules import ApprovalRules, approval_rules
from governor.usecases.audit_trail import AuditTrail
from governor.usecases.callers import Authenticate
from governor.usecases.cancel_refund import CancelRefund
from governor.usecases.catch_up import CatchUp
from governor.usecases.change_environment import ChangeEnvironment
from governor.usecases.change_limit import ChangeLimit
from governor.usecases.check_books import CheckBooks
from governor.usecases.confirm_limit_change import ConfirmLimitChange
from governor.usecases.decide_hold import DecideHold
from governor.usecases.decide_several import DecideSeveral
from governor.usecases.dispatch_refund import DispatchRefund
from governor.usecases.expire_holds import ExpireHolds
from governor.usecases.fence_environment import FenceEnvironment
from governor.usecases.freeze import FreezeRefunds
from governor.usecases.long_work import LongWork, long_work
from governor.usecases.manage_credentials import ManageCredentials
from governor.usecases.messages import Messages
from governor.usecases.note_expiring import NoteExpiring
from governor.usecases.note_use import NoteUse
from governor.usecases.nudge_approvers import NudgeApprovers
from governor.usecases.payment_facts import ReadPaymentFacts
from governor.usecases.people import People
from governor.usecases.queries import Queries
from governor.usecases.read_inbox import ReadInbox
from governor.usecases.reconcile import Reconcile
from governor.usecases.record_provider_event import RecordProviderEvent
from governor.usecases.record_refusal import RecordRefusal
from governor.usecases.recover_leases import RecoverLeases
from governor.usecases.recover_refund import RecoverRefund
from governor.usecases.request_refund import RequestRefund
from governor.usecases.resolve_unknown import ResolveUnknown
from governor.usecases.stand_ins import NameStandIns
from governor.usecases.unknown_desk import UnknownDesk


@dataclass(frozen=True)
class Application(ReadingRooms):
    """All verbs, ready to call. Safe to share between threads."""

    authenticate: Authenticate
    note_use: NoteUse
    request_refund: RequestRefund
    cancel_refund: CancelRefund
    decide_hold: DecideHold
    answer_question: AnswerQuestion
    resolve_unknown: ResolveUnknown
    unknown_desk: UnknownDesk
    change_limit: ChangeLimit
    rules: ApprovalRules
    manage_credentials: ManageCredentials
    change_environment: ChangeEnvironment
    freeze_refunds: FreezeRefunds
    fence_environment: FenceEnvironment
    dispatch_refund: DispatchRefund
    expire_holds: ExpireHolds
    recover_leases: RecoverLeases
    recover_refund: RecoverRefund
    read_inbox: ReadInbox
    catch_up: CatchUp
    record_refusal: RecordRefusal
    record_provider_event: RecordProviderEvent
    check_books: CheckBooks
    audit: AuditTrail
    people: People
    reconcile: Reconcile
    queries: Queries
    messages: Messages
    store: SqlUnitOfWork
    outbox: Outbox
    inbox: SqlInbox
    doorbell: RqDoorbell
    ready: Callable[[], dict[str, bool]]
    settings: Settings

    @property
    def nudge_approvers(self) -> NudgeApprovers:
        """A requester's reminder that somebody has to decide."""
        return NudgeApprovers(self.attentions)

    @property
    def decide_several(self) -> DecideSeveral:
        """One person's word on several holds."""
        return DecideSeveral(self.store, self.decide_hold)

    @property
    def stand_ins(self) -> NameStandIns:
        """Who approves in whose place."""
        return NameStandIns(self.store, TypeIds(), self.store.now)

    @property
    def note_expiring(self) -> NoteExpiring:
        """Tell that a hold's time runs out."""
        return NoteExpiring(self.store)

    @property
    def confirm_limit_change(self) -> ConfirmLimitChange:
        """The second person's word about a limit, and taking back what was said."""
        return ConfirmLimitChange(self.store)

    @cached_property
    def long_work(self) -> LongWork:
        """Runs: made of the verbs above, which it carries out where nobody waits for them."""
        from governor.api.works import works_of  # noqa: PLC0415 - the API's shapes, which only who runs work needs

        verbs = (self.catch_up, self.read_inbox, self.reconcile, self.audit, self.unknown_desk)
        works = works_of(*verbs, self.rules.simulate, _pause)
        return long_work(SqlRuns(self.engine, self.store), TypeIds(), works, time.monotonic)


def build(settings: Settings, *, provider: PaymentProvider | None = None) -> Application:
    """Wire the application. Nothing is connected until it is first used, so it survives a fork."""
    engine = make_engine(settings.database_url.get_secret_value(), pool_size=settings.database_pool)
    store = SqlUnitOfWork(engine, FileOffset(settings.dev_clock) if settings.dev_clock else no_offset)
    stripe = StripeProvider(wiring.stripe(settings), now=store.now) if provider is None else provider
    return _wire(settings, engine, store, stripe)


def _wire(settings: Settings, engine: Engine, store: SqlUnitOfWork, provider: PaymentProvider) -> Application:
    facts = ReadPaymentFacts(store, provider, timedelta(seconds=settings.facts_max_age_seconds))
    books, inbox, ids, doorbell = SqlBooks(engine), SqlInbox(engine, store), TypeIds(), _doorbell(settings)
    recover = RecoverRefund(store, provider, dispatch := DispatchRefund(store, provider, time.monotonic))
    return Application(
        authenticate=Authenticate(store, wiring.pepper(settings)),
        note_use=NoteUse(store, time.monotonic),
        request_refund=RequestRefund(store, facts, ids),
        cancel_refund=CancelRefund(store),
        decide_hold=DecideHold(store, facts, timedelta(seconds=settings.approval_facts_max_age_seconds)),
        answer_question=AnswerQuestion(store),
        resolve_unknown=ResolveUnknown(store),
        unknown_desk=UnknownDesk(store, provider, recover),
        change_limit=ChangeLimit(store, ids),
        rules=approval_rules(store, ids, SqlPast(engine)),
        manage_credentials=ManageCredentials(store, ids, wiring.pepper(settings)),
        freeze_refunds=FreezeRefunds(store, ids),
        change_environment=ChangeEnvironment(store, provider, inbox),
        fence_environment=FenceEnvironment(store),
        dispatch_refund=dispatch,
        expire_holds=ExpireHolds(store),
        recover_leases=RecoverLeases(store),
        recover_refund=recover,
        read_inbox=ReadInbox(store, inbox, facts),
        catch_up=CatchUp(store, inbox, provider, facts, *wiring.how_often(settings)),
        record_refusal=RecordRefusal(store),
        record_provider_event=wiring.webhooks(settings, store, inbox),
        check_books=CheckBooks(books),
        audit=wiring.audit(settings, store),
        people=wiring.people(settings, engine, store),
        reconcile=Reconcile(store, books, provider),
        queries=Queries(store, facts, _pause, time.monotonic),
        messages=wiring.messages(settings, store, engine),
        store=store,
        outbox=Outbox(engine, store),
        inbox=inbox,
        doorbell=doorbell,
        ready=Readiness(engine, doorbell.answers),
        settings=settings,
    )


def _doorbell(settings: Settings) -> RqDoorbell:
    return RqDoorbell(settings.redis_url.get_secret_value())


def _pause(seconds: float) -> None:
    threading.Event().wait(seconds)
