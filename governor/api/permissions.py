"""Who may do what on this surface: one table, deny by default. A test writes it a second time by hand."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from governor.domain.credentials import Role
from governor.domain.errors import Forbidden

_AGENTS = frozenset({Role.AGENT})
_APPROVERS = frozenset({Role.APPROVER})
_OPERATORS = frozenset({Role.OPERATOR})
_AUDITORS = frozenset({Role.AUDITOR})
_AGENTS_AND_OPERATORS = _AGENTS | _OPERATORS
_OVERSEERS = _APPROVERS | _OPERATORS | _AUDITORS
_EVERYONE = frozenset(Role)

ALLOWED: Mapping[tuple[str, str], frozenset[Role]] = MappingProxyType(
    {
        ("POST", "/api/v1/refund-requests"): _AGENTS,
        ("POST", "/api/v1/refund-requests/preview"): _AGENTS,
        ("POST", "/api/v1/refund-batches"): _AGENTS,
        ("GET", "/api/v1/allowance"): _AGENTS,
        ("GET", "/api/v1/refund-requests"): _EVERYONE,
        ("GET", "/api/v1/refund-requests/<request_id>"): _EVERYONE,
        ("POST", "/api/v1/refund-requests/<request_id>/cancel"): _AGENTS_AND_OPERATORS,
        ("POST", "/api/v1/refund-requests/<request_id>/answers"): _AGENTS,
        ("POST", "/api/v1/refund-requests/<request_id>/nudge"): _AGENTS,
        ("GET", "/api/v1/holds"): _OVERSEERS,
        ("GET", "/api/v1/holds/<hold_id>"): _OVERSEERS,
        ("POST", "/api/v1/holds/<hold_id>/decisions"): _APPROVERS,
        ("GET", "/api/v1/unknown"): _OPERATORS | _AUDITORS,
        ("GET", "/api/v1/unknown/<request_id>"): _OPERATORS | _AUDITORS,
        ("POST", "/api/v1/unknown/<request_id>/reconcile"): _OPERATORS,
        ("POST", "/api/v1/unknown/<request_id>/resolutions"): _OPERATORS,
        ("GET", "/api/v1/limits"): _OVERSEERS,
        ("GET", "/api/v1/limits/<limit_id>"): _OVERSEERS,
        ("GET", "/api/v1/limits/<limit_id>/counters"): _OVERSEERS,
        ("GET", "/api/v1/limits/<limit_id>/changes"): _OVERSEERS,
        ("GET", "/api/v1/limits/<limit_id>/exposure"): _OVERSEERS,
        ("POST", "/api/v1/limits/<limit_id>/changes/<change_id>/confirm"): _OPERATORS,
        ("POST", "/api/v1/limits/<limit_id>/changes/<change_id>/withdraw"): _OPERATORS,
        ("POST", "/api/v1/limits"): _OPERATORS,
        ("PUT", "/api/v1/limits/<limit_id>"): _OPERATORS,
        ("DELETE", "/api/v1/limits/<limit_id>"): _OPERATORS,
        ("GET", "/api/v1/rules"): _OVERSEERS,
        ("GET", "/api/v1/rules/<rule_id>"): _OVERSEERS,
        ("GET", "/api/v1/rules/<rule_id>/health"): _OVERSEERS,
        ("GET", "/api/v1/rules/<rule_id>/revisions"): _OVERSEERS,
        ("POST", "/api/v1/rules"): _OPERATORS,
        ("POST", "/api/v1/rules/simulate"): _OPERATORS | _AUDITORS,
        ("PUT", "/api/v1/rules/<rule_id>"): _OPERATORS,
        ("DELETE", "/api/v1/rules/<rule_id>"): _OPERATORS,
        ("GET", "/api/v1/credentials"): _AGENTS_AND_OPERATORS | _AUDITORS,
        ("POST", "/api/v1/credentials"): _AGENTS_AND_OPERATORS,
        ("POST", "/api/v1/credentials/<credential_id>/rotate"): _EVERYONE,
        ("DELETE", "/api/v1/credentials/<credential_id>"): _AGENTS_AND_OPERATORS,
        ("GET", "/api/v1/environment"): _EVERYONE,
        ("PUT", "/api/v1/environment"): _OPERATORS,
        ("POST", "/api/v1/environment/acknowledge"): _OPERATORS,
        ("POST", "/api/v1/environment/freeze"): _OPERATORS,
        ("POST", "/api/v1/environment/unfreeze"): _OPERATORS,
        ("GET", "/api/v1/freezes"): _OVERSEERS,
        ("GET", "/api/v1/reports/reconciliation"): _OPERATORS | _AUDITORS,
        ("GET", "/api/v1/external-refunds"): _OVERSEERS,
        ("GET", "/api/v1/webhook-endpoints"): _OPERATORS,
        ("POST", "/api/v1/webhook-endpoints"): _OPERATORS,
        ("GET", "/api/v1/webhook-endpoints/<endpoint_id>"): _OPERATORS,
        ("DELETE", "/api/v1/webhook-endpoints/<endpoint_id>"): _OPERATORS,
        ("POST", "/api/v1/webhook-endpoints/<endpoint_id>/rotate"): _OPERATORS,
        ("POST", "/api/v1/webhook-endpoints/<endpoint_id>/enable"): _OPERATORS,
        ("POST", "/api/v1/webhook-endpoints/<endpoint_id>/test"): _OPERATORS,
        ("GET", "/api/v1/webhook-endpoints/<endpoint_id>/deliveries"): _OPERATORS,
        ("POST", "/api/v1/webhook-endpoints/<endpoint_id>/deliveries/<message_id>/replay"): _OPERATORS,
        ("GET", "/api/v1/audit"): _OPERATORS | _AUDITORS,
        ("GET", "/api/v1/audit/verify"): _OPERATORS | _AUDITORS,
        ("GET", "/api/v1/audit/export"): _OPERATORS | _AUDITORS,
        ("GET", "/api/v1/audit/manifest"): _OPERATORS | _AUDITORS,
    }
)
"""Route → roles. What is not here is allowed to nobody."""

PUBLIC = frozenset(
    {
        ("GET", "/livez"),
        ("GET", "/readyz"),
        ("GET", "/api/v1/openapi.json"),
        ("GET", "/api/docs"),
        ("GET", "/api/docs/<asset>"),
        ("POST", "/webhooks/stripe/<environment>"),
    }
)
"""Answered without a key. Nothing that is read depends on what is stored; what a webhook stores is signed."""


def authorise(method: str, rule: str, role: Role) -> None:
    """Let a role through to a route, or not.

    Raises:
        Forbidden: `role_not_allowed`.
    """
    if role not in ALLOWED.get((method, rule), frozenset()):
        raise Forbidden("role_not_allowed", f"A credential with the role {role} may not do this.")
