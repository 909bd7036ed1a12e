"""What this surface asks of the application: the verbs that bootstrap wires together."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from governor.usecases.answer_question import AnswerQuestion
from governor.usecases.approval_rules import ApprovalRules
from governor.usecases.audit_trail import AuditTrail
from governor.usecases.callers import Authenticate
from governor.usecases.cancel_refund import CancelRefund
from governor.usecases.change_environment import ChangeEnvironment
from governor.usecases.change_limit import ChangeLimit
from governor.usecases.confirm_limit_change import ConfirmLimitChange
from governor.usecases.decide_hold import DecideHold
from governor.usecases.freeze import FreezeRefunds
from governor.usecases.limit_history import LimitHistory
from governor.usecases.manage_credentials import ManageCredentials
from governor.usecases.messages import Messages
from governor.usecases.note_use import NoteUse
from governor.usecases.nudge_approvers import NudgeApprovers
from governor.usecases.queries import Queries
from governor.usecases.reconcile import Reconcile
from governor.usecases.record_provider_event import RecordProviderEvent
from governor.usecases.record_refusal import RecordRefusal
from governor.usecases.request_refund import RequestRefund
from governor.usecases.resolve_unknown import ResolveUnknown
from governor.usecases.unknown_desk import UnknownDesk


class UseCases(Protocol):
    """The application, seen from here. `governor.bootstrap.Application` is one."""

    @property
    def authenticate(self) -> Authenticate:
        """A key becomes a caller."""
        ...

    @property
    def note_use(self) -> NoteUse:
        """When a key was last used."""
        ...

    @property
    def request_refund(self) -> RequestRefund:
        """Decide refund requests, one or many, or preview one."""
        ...

    @property
    def cancel_refund(self) -> CancelRefund:
        """Stop a request, or record that it is no longer wanted."""
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
    def answer_question(self) -> AnswerQuestion:
        """The requester's answer to an approver's question."""
        ...

    @property
    def resolve_unknown(self) -> ResolveUnknown:
        """One person says how a request in doubt ended."""
        ...

    @property
    def unknown_desk(self) -> UnknownDesk:
        """Looking at requests in doubt."""
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
    def confirm_limit_change(self) -> ConfirmLimitChange:
        """The second person's word about a limit, and taking back what was said."""
        ...

    @property
    def limit_history(self) -> LimitHistory:
        """Limits over time: what was said, what is to come, what was taken."""
        ...

    @property
    def manage_credentials(self) -> ManageCredentials:
        """Make and revoke keys."""
        ...

    @property
    def change_environment(self) -> ChangeEnvironment:
        """Change an environment's settings."""
        ...

    @property
    def freeze_refunds(self) -> FreezeRefunds:
        """Stop provider writes, and let them go on."""
        ...

    @property
    def reconcile(self) -> Reconcile:
        """Compare the exposure plane with the evidence plane."""
        ...

    @property
    def audit(self) -> AuditTrail:
        """List, verify and export the audit trail."""
        ...

    @property
    def messages(self) -> Messages:
        """Endpoints, and what they are told."""
        ...

    @property
    def queries(self) -> Queries:
        """Looking."""
        ...

    @property
    def record_refusal(self) -> RecordRefusal:
        """Audit that a credential tried what its role may not do."""
        ...

    @property
    def record_provider_event(self) -> RecordProviderEvent:
        """Take a webhook of the provider in."""
        ...

    @property
    def ready(self) -> Callable[[], dict[str, bool]]:
        """Dependency → whether it is there."""
        ...
