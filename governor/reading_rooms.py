"""The rooms where people look: each made of the store, and none decides anything. Part of governor.bootstrap."""

from __future__ import annotations

from functools import cached_property

from sqlalchemy import Engine

from adapters.sql.approval_desk import SqlApprovals
from adapters.sql.attention import SqlAttentions
from adapters.sql.lookups import SqlLookups
from adapters.sql.queue import SqlQueues
from adapters.sql.unit_of_work import SqlUnitOfWork
from adapters.sql.votes import SqlVotes
from governor import wiring
from governor.settings import Settings
from governor.usecases.approval_desk import ApprovalDesk
from governor.usecases.audit_reports import AuditReports
from governor.usecases.audit_trail import AuditTrail
from governor.usecases.browse import Browse
from governor.usecases.catch_up import CatchUp
from governor.usecases.hold_attention import HoldAttention
from governor.usecases.limit_board import LimitBoard
from governor.usecases.limit_history import LimitHistory
from governor.usecases.limits_in_effect import LimitsInEffect
from governor.usecases.look_at_payment import LookAtPayment
from governor.usecases.oversight import Oversight
from governor.usecases.queries import Queries
from governor.usecases.read_background import ReadBackground
from governor.usecases.see_agents import SeeAgents
from governor.usecases.see_queue import SeeQueue


class ReadingRooms:
    """What an application shows, made of what it keeps."""

    store: SqlUnitOfWork
    queries: Queries
    audit: AuditTrail
    settings: Settings
    catch_up: CatchUp

    @property
    def engine(self) -> Engine:
        """Every connection of this process to the database comes from here."""
        return self.store.engine

    @property
    def look_at_payment(self) -> LookAtPayment:
        """A payment with what is left of it."""
        return LookAtPayment(self.store, self.queries.facts)

    @cached_property
    def read_background(self) -> ReadBackground:
        """What stands around a payment at the provider."""
        return wiring.background(self.settings, self.store)

    @property
    def attentions(self) -> SqlAttentions:
        """What people say of holds that wait, without deciding them."""
        return SqlAttentions(self.engine, self.store)

    @property
    def approval_desk(self) -> ApprovalDesk:
        """What waits for approvers, with all that is around it, and what they say of it without deciding."""
        attention = HoldAttention(self.store, self.attentions)
        approvals = SqlApprovals(self.engine)
        return ApprovalDesk(self.store, approvals, attention, self.look_at_payment, self.read_background)

    @property
    def limit_board(self) -> LimitBoard:
        """Limits, with what is taken of them now."""
        return LimitBoard(self.store, LimitsInEffect(self.store, self.look_at_payment))

    @property
    def see_agents(self) -> SeeAgents:
        """Agents, with their keys and what they ask for."""
        return SeeAgents(self.store, self.queries, SqlApprovals(self.engine), self.limit_board.in_effect)

    @cached_property
    def browse(self) -> Browse:
        """Looking, for people."""
        return Browse(self.store, SqlLookups(self.engine))

    @property
    def see_queue(self) -> SeeQueue:
        """What waits to be sent, and for what."""
        return SeeQueue(self.store, SqlQueues(self.engine))

    @property
    def audit_reports(self) -> AuditReports:
        """What auditors ask about people."""
        return AuditReports(self.audit.read, SqlVotes(self.engine), self.store.now)

    @cached_property
    def oversight(self) -> Oversight:
        """Whether everything is at work: processes, the provider, and how the day went."""
        return wiring.oversight(self.store, self.catch_up)

    @property
    def limit_history(self) -> LimitHistory:
        """Limits over time: what was said, what is to come, what was taken."""
        return LimitHistory(self.store)
