"""Every page of the console, in the order in which the navigation shows them."""

from __future__ import annotations

from governor.console import (
    account,
    agents,
    allowance,
    approvals,
    endpoint_changes,
    endpoints,
    environment_settings,
    external_refunds,
    freezes,
    hold_attention,
    inbox,
    keys,
    limit_changes,
    limit_confirmations,
    limits,
    limits_in_effect,
    members,
    my_refunds,
    new_refund,
    overview,
    queue,
    refund_requests,
    reports,
    rules,
    runs,
    several,
    stand_ins,
    taking_back,
    trail,
    unknown_desk,
    why,
)
from governor.console import help as helping
from governor.console.finding import find_among
from governor.console.page import Page

_FOUND: tuple[Page, ...] = (
    *new_refund.PAGES,
    *my_refunds.PAGES,
    *allowance.PAGES,
    *inbox.PAGES,
    *several.PAGES,
    *hold_attention.PAGES,
    *approvals.PAGES,
    *taking_back.PAGES,
    *stand_ins.PAGES,
    *refund_requests.PAGES,
    *why.PAGES,
    *rules.PAGES,
    *members.PAGES,
    *keys.PAGES,
    *agents.PAGES,
    *overview.PAGES,
    *unknown_desk.PAGES,
    *freezes.PAGES,
    *external_refunds.PAGES,
    *environment_settings.PAGES,
    *limits.PAGES,
    *limits_in_effect.PAGES,
    *limit_changes.PAGES,
    *limit_confirmations.PAGES,
    *trail.PAGES,
    *reports.PAGES,
    *queue.PAGES,
    *runs.PAGES,
    *endpoints.PAGES,
    *endpoint_changes.PAGES,
)

PAGES: tuple[Page, ...] = (*_FOUND, *account.PAGES, find_among(_FOUND), *helping.PAGES)
"""The registry: what is not here is nowhere."""
