"""Every action that is written to the audit trail is knowingly told to endpoints, or knowingly not."""

import ast
import re
from collections.abc import Iterator

from governor.domain.messages import TOLD
from tests.architecture.tree import ROOT

# Every audit action in the code, by whether endpoints are told of it.
TOLD_TO_ENDPOINTS = """
    refund_request.admitted refund_request.denied refund_request.evidence refund_request.lease_lost
    refund_request.canceled refund_request.expired refund_request.flagged refund_request.cancel_wished
    refund_request.resolution_contradicted refund_request.parked
    refund_request.returned refund_request.answered refund_request.nudged refund_request.expiring
    refund_request.escalated hold.decided hold.taken_back
    limit.created limit.changed limit.archived limit.change_proposed limit.change_withdrawn limit.archiving_proposed
    limit.raised_by_requester
    rule.created rule.changed rule.archived
    freeze.began freeze.end_proposed freeze.ended
    environment.changed environment.acknowledged environment.fenced environment.stopped
    credential.created credential.rotated credential.revoked
    external_refund.noticed
    endpoint.created endpoint.rotated endpoint.disabled endpoint.enabled endpoint.deleted endpoint.tested
    """.split()
TOLD_TO_NOBODY = {
    "refund_request.claimed": "a worker has taken it; what comes of it is told",
    "refund_request.capacity_proven": "it goes on as it was",
    "refund_request.resolution_proposed": "the first of two people; the desk shows it",
    "refund_request.resolved": "what it has led to is told as evidence",
    "refund_request.repeated": "that it was admitted is told; that it repeats another is for the auditors",
    "hold.facts_changed": "whoever decides next is told",
    "freeze.repeated": "it is frozen already",
    "environment.founded": "nobody can listen yet",
    "external_refund.moved": "the Dashboard's own business; its room is in the reports",
    "external_refund.handed_over": "it turned out to be ours",
    "endpoint.replayed": "the endpoint gets the message itself",
    "permission.refused": "for the auditors",
    "person.disabled": "for the auditors",
    "person.enabled": "for the auditors",
    "stand_in.named": "for the auditors; both of them see it",
    "stand_in.ended": "for the auditors; both of them see it",
    "run.asked": "whoever asked looks at the run",
    "run.cancel_requested": "whoever asked looks at the run",
    "run.ended": "whoever asked looks at the run",
}
WORD = re.compile(r"[a-z_]+\.[a-z_]+")


def _words_in(source: str) -> Iterator[str]:
    """Every literal that is spelled as an action is, but for the names of checkpoints and of lines of the log."""
    tree = ast.parse(source)
    others = {
        id(argument)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func).split(".")[0] in {"checkpoint", "log"}
        for argument in node.args
    }
    for node in ast.walk(tree):
        literal = node.value if isinstance(node, ast.Constant) and id(node) not in others else None
        if isinstance(literal, str) and WORD.fullmatch(literal):
            yield literal


def _actions() -> set[str]:
    found = {
        word
        for path in (ROOT / "governor" / "usecases").glob("*.py")
        for word in _words_in(path.read_text(encoding="utf-8"))
    }
    # Names of files in which runs leave the trail and a simulation.
    return found - {"audit.csv", "audit.ndjson", "simulation.json"}


def test_of_every_action_it_is_said_whether_endpoints_are_told() -> None:
    found = _actions()
    assert len(found) > 30, "the search for actions finds nothing"
    undecided = sorted(found - {*TOLD_TO_ENDPOINTS} - {*TOLD_TO_NOBODY})
    assert not undecided, (
        f"say in governor/domain/messages.py and here whether endpoints are told of {undecided}"
    )
    gone = sorted({*TOLD_TO_ENDPOINTS, *TOLD_TO_NOBODY} - found - {"endpoint.tested"})
    assert not gone, f"nobody writes these any more: {gone}"


def test_the_table_tells_what_was_meant() -> None:
    assert set(TOLD) == set(TOLD_TO_ENDPOINTS)


def test_the_search_tells_actions_from_checkpoints_and_log_lines() -> None:
    source = """
checkpoint("limit.counted")
log.info("limit.logged", code="x")
tx.append_audit([caller.entry("limit.created", limit.id, {})])
action = "freeze.repeated" if standing else "freeze.began"
"""
    assert set(_words_in(source)) == {"limit.created", "freeze.repeated", "freeze.began"}
