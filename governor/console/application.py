"""What the console asks of the application: the verbs that bootstrap wires together."""

from __future__ import annotations

from typing import Protocol

from governor.usecases.answer_question import AnswerQuestion
from governor.usecases.approval_desk import ApprovalDesk
from governor.usecases.approval_rules import ApprovalRules
from governor.usecases.audit_reports import AuditReports
from governor.usecases.audit_trail import AuditTrail
from governor.usecases.browse import Browse
from governor.usecases.cancel_refund import CancelRefund
from governor.usecases.change_environment import ChangeEnvironment
from governor.usecases.change_limit import ChangeLimit
from governor.usecases.confirm_limit_change import ConfirmLimitChange
from governor.usecases.decide_hold import DecideHold
from governor.usecases.decide_several import DecideSeveral
from governor.usecases.freeze import FreezeRefunds
from governor.usecases.limit_board import LimitBoard
from governor.usecases.limit_history import LimitHistory
from governor.usecases.long_work import LongWork
from governor.usecases.look_at_payment import LookAtPayment
from governor.usecases.manage_credentials import ManageCredentials
from governor.usecases.messages import Messages
from governor.usecases.nudge_approvers import NudgeApprovers
from governor.usecases.oversight import Oversight
from governor.usecases.people import People
from governor.usecases.queries import Queries
from governor.usecases.record_refusal import RecordRefusal
from governor.usecases.request_refund import RequestRefund
from governor.usecases.resolve_unknown import ResolveUnknown
from governor.usecases.see_agents import SeeAgents
from governor.usecases.see_queue import SeeQueue
from governor.usecases.stand_ins import NameStandIns
from governor.usecases.unknown_desk import UnknownDesk


class UseCases(Protocol):
    """The application, seen from here. `governor.bootstrap.Application` is one."""

    @property
    def people(self) -> People:
        """Let people in, keep their sessions and their accounts."""
        ...

    @property
    def queries(self) -> Queries:
        """Looking."""
        ...

    @property
    def browse(self) -> Browse:
        """Looking, for people: a request's whole story, and where an id leads."""
        ...

    @property
    def record_refusal(self) -> RecordRefusal:
        """Audit that somebody tried what their role may not do."""
        ...

    @property
    def request_refund(self) -> RequestRefund:
        """Decide refund requests, or preview one."""
        ...

    @property
    def cancel_refund(self) -> CancelRefund:
        """Stop a request, or record that it is no longer wanted."""
        ...

    @property
    def look_at_payment(self) -> LookAtPayment:
        """A payment with what is left of it."""
        ...

    @property
    def approval_desk(self) -> ApprovalDesk:
        """What waits for approvers, with all that is around it, and what they say of it without deciding."""
        ...

    @property
    def decide_hold(self) -> DecideHold:
        """One person's decision on one hold."""
        ...

    @property
    def nudge_approvers(self) -> NudgeApprovers:
        """A requester's reminder that somebody has to decide."""
        ...

    @property
    def decide_several(self) -> DecideSeveral:
        """One person's word on several holds."""
        ...

    @property
    def stand_ins(self) -> NameStandIns:
        """Who approves in whose place: name them, end them."""
        ...

    @property
    def answer_question(self) -> AnswerQuestion:
        """The requester's answer to an approver's question."""
        ...

    @property
    def audit(self) -> AuditTrail:
        """The audit trail: read it, verify it, export it."""
        ...

    @property
    def audit_reports(self) -> AuditReports:
        """What auditors ask about people: who decides with whom, when, how quickly, and what they set aside."""
        ...

    @property
    def long_work(self) -> LongWork:
        """Runs: long work that somebody asks for, leaves, and comes back to."""
        ...

    @property
    def manage_credentials(self) -> ManageCredentials:
        """Make keys, replace their secrets, revoke them."""
        ...

    @property
    def see_agents(self) -> SeeAgents:
        """Agents, with their keys and what they ask for."""
        ...

    @property
    def limit_board(self) -> LimitBoard:
        """Limits, with what is taken of them now."""
        ...

    @property
    def change_limit(self) -> ChangeLimit:
        """Create, change and archive limits."""
        ...

    @property
    def rules(self) -> ApprovalRules:
        """Change approval rules, look at them, and try them on the past."""
        ...

    @property
    def change_environment(self) -> ChangeEnvironment:
        """The environment's settings, and the word that lets provider writes go on."""
        ...

    @property
    def freeze_refunds(self) -> FreezeRefunds:
        """Stop provider writes, and let them go on."""
        ...

    @property
    def confirm_limit_change(self) -> ConfirmLimitChange:
        """The second person's word about a limit, and taking back what was said."""
        ...

    @property
    def limit_history(self) -> LimitHistory:
        """Limits over time: what was said, what is to come, what was taken."""
        ...

    @property
    def messages(self) -> Messages:
        """Endpoints: set them up, look at them, and at what became of each message."""
        ...

    @property
    def unknown_desk(self) -> UnknownDesk:
        """What nobody knows yet, and a look at the provider now."""
        ...

    @property
    def resolve_unknown(self) -> ResolveUnknown:
        """Two people say how a request in doubt ended."""
        ...

    @property
    def see_queue(self) -> SeeQueue:
        """What waits to be sent, and for what."""
        ...

    @property
    def oversight(self) -> Oversight:
        """Whether everything is at work: processes, the provider, and how the day went."""
        ...
