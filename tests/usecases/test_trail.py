"""What the audit trail says of a whole story, and what it never says."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from governor.domain.approval import Ballot, Choice
from governor.domain.audit import Entry, guarded
from governor.domain.credentials import Role
from governor.domain.environments import Mode
from governor.domain.limits import Scope
from governor.domain.seen import AsSeen
from tests.builders import World, ask, fresh_key

CANARIES = (
    "canary.customer@example.com",
    "gvk_test_canary0000",
    "sk_live_" + "canary1111",
    "whsec_canary2222",
    "canary-in-a-note",
    "canary-in-a-reason",
)


def _rows(world: World) -> list[dict[str, Any]]:
    with world.app.store.reading() as reads:
        found = reads.audit(world.environment, after=0, at_most=1000)
    return [vars(row.entry) | {"seq": row.seq} for row in found]


def _told(world: World, action: str) -> dict[str, Any]:
    facts: dict[str, Any] = next(row["facts"] for row in reversed(_rows(world)) if row["action"] == action)
    return facts


def _play(world: World) -> None:
    """Everything that people and programs do here, with something secret wherever they can write."""
    note = " ".join(CANARIES)
    limit = world.limit(10_000, approval_above=2_000)
    world.change_cap(limit, 20_000)
    agent = replace(world.caller(owner="canary.customer@example.com"), request_id="req_agent")
    sent = world.request(agent, world.payment(5000), 1500, note=note, case="ZD-1")
    world.drain(sent)
    waits = world.request(agent, world.payment(5000), 3000, note=note)
    approver = replace(world.approver(), request_id="req_approver")
    hold, _ = world.app.queries.hold(approver, waits.hold or "")
    reason = f"canary-in-a-reason {note}"
    no = Ballot(Choice.REJECT, hold.digest, hold.version, reason)
    world.app.decide_hold(approver, hold.id, no, fresh_key())
    queued = world.request(agent, world.payment(5000), 100)
    world.app.cancel_refund(agent, queued.id, fresh_key())
    world.request(agent, world.payment(50_000), 45_000, note=note)
    world.app.record_refusal(agent, "post_limits", "role_not_allowed")
    world.app.manage_credentials.revoke(world.operator, agent.credential.id)
    with world.app.store.environment(world.environment) as tx:
        tx.save_environment(replace(tx.here, halted_reason="overrun: rr_1", revision=tx.here.revision + 1))
    world.app.change_environment.acknowledge(world.operator, "seen with canary.customer@example.com")


def test_what_enforcing_would_have_said_is_kept_while_an_environment_only_observes(
    new_world: Callable[..., World],
) -> None:
    world = new_world(mode=Mode.OBSERVE)
    limit = world.limit(1000, approval_above=500)
    world.request(world.caller(), world.payment(5000), 700)
    told = _told(world, "refund_request.admitted")
    assert (told["to"], told["would_deny"], told["asks_approval"]) == ("queued", None, limit.id)
    world.request(world.caller(), world.payment(5000), 700)
    assert _told(world, "refund_request.admitted")["would_deny"] == "limit_exceeded"


def test_no_secret_no_note_and_no_address_is_in_the_trail(world: World) -> None:
    _play(world)
    rows = _rows(world)
    assert {row["action"] for row in rows} >= {
        "environment.founded",
        "environment.acknowledged",
        "credential.created",
        "credential.revoked",
        "limit.created",
        "limit.changed",
        "refund_request.admitted",
        "refund_request.denied",
        "refund_request.claimed",
        "refund_request.evidence",
        "refund_request.canceled",
        "hold.decided",
        "permission.refused",
    }
    told = json.dumps(rows)
    assert [canary for canary in CANARIES if canary in told] == []


def test_every_change_in_the_trail_says_from_what_to_what(world: World) -> None:
    _play(world)
    without = {row["action"] for row in _rows(world) if not {"from", "to"} <= set(row["facts"])}
    assert without == {"permission.refused"}


def test_every_row_says_under_which_revision_of_the_limits_it_was_written(world: World) -> None:
    _play(world)
    revisions = [row["facts"]["limits_revision"] for row in _rows(world)]
    assert revisions == sorted(revisions)
    assert (revisions[0], revisions[-1]) == (0, 2), "one limit was made and changed once"


def test_what_a_caller_does_names_the_call_the_credential_and_the_person(world: World) -> None:
    _play(world)
    doing = {
        action: next(row for row in _rows(world) if row["action"] == action)
        for action in ("refund_request.admitted", "hold.decided", "refund_request.canceled")
    }
    for action, call in (
        ("refund_request.admitted", "req_agent"),
        ("refund_request.canceled", "req_agent"),
        ("hold.decided", "req_approver"),
    ):
        assert doing[action]["facts"]["request_id"] == call
        assert doing[action]["actor"].startswith("cred_")
    assert doing["hold.decided"]["facts"]["person"] == "owner of approver"
    assert doing["refund_request.admitted"]["facts"]["person"] == "…", (
        "a person named by an address is masked"
    )


def test_callers_who_are_decided_together_are_each_named_by_their_own_call(world: World) -> None:
    world.limit(10_000)
    callers = [replace(world.caller(name=f"agent {n}"), request_id=f"req_{n}") for n in range(3)]
    for caller in callers:
        world.answer(caller, ask(world.payment(500), 100))
    admitted = [row for row in _rows(world) if row["action"] == "refund_request.admitted"]
    assert [(row["actor"], row["facts"]["request_id"]) for row in admitted] == [
        (caller.credential.id, caller.request_id) for caller in callers
    ]


def test_a_change_says_what_was_and_what_is(world: World) -> None:
    limit = world.limit(1000, scope=Scope.AGENT, value="amy")
    changed = world.change_cap(limit, 500)
    told = _told(world, "limit.changed")
    assert (told["from"]["cap"], told["to"]["cap"], told["to"]["revision"]) == (1000, 500, 2)
    world.app.change_limit.archive(world.operator, limit.id, AsSeen(changed.revision))
    told = _told(world, "limit.archived")
    assert (told["from"]["archived"], told["to"]["archived"], told["to"]["value"]) == (False, True, "amy")
    key = world.caller(Role.AUDITOR, "reader").credential.id
    world.app.manage_credentials.revoke(world.operator, key)
    told = _told(world, "credential.revoked")
    assert told["from"] == {"revoked_at": None}
    assert told["to"]["revoked_at"] is not None


def test_a_decision_is_bound_to_its_reason_without_showing_it(world: World) -> None:
    """T29: who approved, in which call, what they were shown, and a digest of what they said."""
    _play(world)
    told = _told(world, "hold.decided")
    assert (told["choice"], told["from"], told["to"]) == ("reject", "pending_approval", "rejected")
    assert told["digest"].startswith("sha256:")
    assert told["reason_digest"].startswith("sha256:")


@pytest.mark.parametrize("canary", CANARIES[:4])
def test_what_slips_into_a_fact_is_masked_however_deep_it_is(canary: str) -> None:
    entry = Entry(f"x {canary}", "made", f"y {canary}", {"to": [{"deep": f"see {canary}, please"}], "n": 5})
    kept = guarded(entry, {"limits_revision": 3})
    assert canary not in json.dumps(vars(kept))
    assert (kept.facts["n"], kept.facts["limits_revision"]) == (5, 3)
