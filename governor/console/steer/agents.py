"""Agents: what the people who answer for one, and operators, look at, and where they end all its keys at once."""

from __future__ import annotations

from flask import Response

from governor.console.fields import Filled
from governor.console.page import Group, Page
from governor.console.steer import limit_words
from governor.console.steer.keys import MAKERS, READERS, REVOKE
from governor.console.steer.limits_in_effect import tables_of
from governor.console.visit import Visit
from governor.domain.errors import Refused

AGENTS = "/agents"
_ONE = f"{AGENTS}/<credential_id>"
_REVOKE = f"{_ONE}/revoke"


def _list(visit: Visit) -> Response:
    return visit.show("agents/list.html", agents=visit.use.see_agents.all(visit.caller))


def _one(visit: Visit, credential_id: str) -> Response:
    seen = visit.use.see_agents.one(visit.caller, credential_id)
    return visit.show(
        "agents/one.html",
        seen=seen,
        agent=seen.agent,
        credential_id=credential_id,
        tables=tables_of(seen.limits),
        say=limit_words,
        may_revoke=visit.caller.role in MAKERS,
    )


def _ask_revoke(visit: Visit, credential_id: str) -> Response:
    return _revoking(visit, credential_id, visit.form())


def _revoke(visit: Visit, credential_id: str) -> Response:
    """Each of the topmost ends with all below it. What fails in between is found alive, and ended by the next click."""
    filled = visit.form()
    try:
        reason = filled.read()["reason"]
        for one in visit.use.see_agents.of_key(visit.caller, credential_id).topmost:
            visit.use.manage_credentials.revoke(visit.caller, one.id, reason)
    except Refused as refusal:
        return _revoking(visit, credential_id, filled.refused(refusal), status=422)
    return visit.go(
        f"{AGENTS}/{credential_id}",
        "All its keys are revoked. What they asked for and is not sent is canceled.",
    )


def _revoking(visit: Visit, credential_id: str, form: Filled, *, status: int = 200) -> Response:
    agent = visit.use.see_agents.of_key(visit.caller, credential_id)
    return visit.show(
        "agents/revoke.html", status=status, form=form, agent=agent, credential_id=credential_id
    )


PAGES = (
    Page("GET", AGENTS, _list, READERS, "Agents", group=Group.PEOPLE, label="Agents"),
    Page("GET", _ONE, _one, READERS, "Agent"),
    Page("GET", _REVOKE, _ask_revoke, MAKERS, "Revoke all keys of an agent", form=REVOKE),
    Page("POST", _REVOKE, _revoke, MAKERS, "Revoke all keys of an agent", form=REVOKE),
)
