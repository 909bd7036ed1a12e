"""Every page of the console, in the order in which the navigation shows them."""

from __future__ import annotations

from governor.console import help as helping
from governor.console import runs
from governor.console.approve import approvals, hold_attention, inbox, several, stand_ins, taking_back
from governor.console.audit import limits_then, reports, trail, why
from governor.console.finding import find_among
from governor.console.page import Page
from governor.console.request import allowance, my_refunds, new_refund, refund_requests
from governor.console.sign_in import account
from governor.console.steer import (
    agents,
    endpoint_changes,
    endpoints,
    environment_settings,
    external_refunds,
    freezes,
    keys,
    limit_changes,
    limit_confirmations,
    limits,
    limits_in_effect,
    members,
    overview,
    queue,
    rules,
    unknown_desk,
)

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
    *limits_then.PAGES,
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
