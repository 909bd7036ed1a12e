"""What people say of holds, in the database: their votes, their calls for others, and what a hold has shown before."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, text

from adapters.sql import rows
from adapters.sql.execute import record, records
from governor.domain.approval import Choice, Vote
from governor.domain.attention import Escalation
from governor.domain.environments import Environment
from governor.domain.requests import RefundRequest

VOTES = text("SELECT to_jsonb(v) FROM votes v WHERE environment = :env AND hold = :hold ORDER BY decided_at")
HOLD_VERSION = text("""
    SELECT shown FROM hold_versions WHERE environment = :env AND hold = :hold AND version = :version""")
QUESTIONS = text("""
    SELECT to_jsonb(r) FROM refund_requests r WHERE requested_by = :requester AND environment = :env
    AND next_action = 'answer_question' ORDER BY id DESC LIMIT :at_most""")
EXPIRING = text("""
    SELECT to_jsonb(r) FROM refund_requests r
    WHERE environment = :env AND state = 'pending_approval' AND expiring_at <= :now
    ORDER BY expiring_at LIMIT :at_most""")
ANYTHING_EXPIRING = text("""
    SELECT EXISTS (SELECT 1 FROM refund_requests
        WHERE environment = :env AND state = 'pending_approval' AND expiring_at <= :now)""")
ADD_VOTE = text("""
    INSERT INTO votes (environment, hold, person, credential, choice, digest, version, reason, approves, amount,
        instead_of, decided_at)
    VALUES (:env, :hold, :person, :credential, :choice, :digest, :version, :reason, :approves, :amount,
        :instead_of, :now)""")
KEEP_HOLD_VERSION = text("""
    INSERT INTO hold_versions (environment, hold, version, shown, replaced_at)
    VALUES (:env, :hold, :version, CAST(:shown AS jsonb), :now)""")

ESCALATIONS = text(
    "SELECT to_jsonb(e) FROM escalations e WHERE environment = :env AND hold = :hold ORDER BY at"
)
ADD_ESCALATION = text("""
    INSERT INTO escalations (environment, hold, person, called, credential, reason, at)
    VALUES (:env, :hold, :person, :called, :credential, :reason, :at)""")

WAKE_ALL = text("DELETE FROM snoozes WHERE environment = :env AND hold = :hold")


class ApprovalReads:
    """What `governor.ports.reads.Reads` asks about holds that wait for people, on one connection."""

    _connection: Connection

    def votes(self, environment: str, hold: str) -> tuple[tuple[Vote, datetime], ...]:
        """The decisions on a hold, oldest first."""
        found = records(self._connection, VOTES, env=environment, hold=hold)
        return tuple((vote_from(row), rows.instant(row["decided_at"])) for row in found)

    def questions(self, environment: str, requester: str, *, at_most: int) -> tuple[RefundRequest, ...]:
        """What this credential asked for and an approver sent back with a question that is not answered, newest first."""
        found = records(self._connection, QUESTIONS, env=environment, requester=requester, at_most=at_most)
        return tuple(map(rows.request_from, found))

    def hold_version(self, environment: str, hold: str, version: int) -> Mapping[str, Any] | None:
        """What an earlier version of a hold has shown; None for the one that stands, and for what never was."""
        return record(self._connection, HOLD_VERSION, env=environment, hold=hold, version=version)

    def anything_expiring(self, environment: str, now: datetime) -> bool:
        """Whether people are to be told at `now` that a hold's time for approval runs out."""
        return bool(self._connection.scalar(ANYTHING_EXPIRING, {"env": environment, "now": now}))


class ApprovalWrites(ApprovalReads):
    """What `governor.ports.store.Transaction` writes of them."""

    here: Environment
    now: datetime

    def expiring_holds(self, *, at_most: int) -> tuple[RefundRequest, ...]:
        """Requests that wait, of which people are to be told that their time runs out."""
        asked = {"env": self.here.name, "now": self.now, "at_most": at_most}
        return tuple(map(rows.request_from, records(self._connection, EXPIRING, **asked)))

    def add_vote(self, hold: str, vote: Vote) -> None:
        """Append one person's decision."""
        values = vars(vote) | {
            "choice": vote.choice.value,
            "amount": vote.amount_minor,
            "instead_of": list(vote.instead_of),
        }
        del values["amount_minor"]
        self._connection.execute(ADD_VOTE, values | {"env": self.here.name, "hold": hold, "now": self.now})

    def keep_hold_version(self, request: RefundRequest) -> None:
        """Append what a request's hold has shown, which is about to change."""
        kept = {
            "hold": request.hold,
            "version": request.hold_version,
            "shown": json.dumps(dict(request.shown)),
        }
        self._connection.execute(KEEP_HOLD_VERSION, kept | {"env": self.here.name, "now": self.now})

    def escalations(self, hold: str) -> tuple[Escalation, ...]:
        """Who has escalated a hold, oldest first."""
        return tuple(
            map(escalation_from, records(self._connection, ESCALATIONS, env=self.here.name, hold=hold))
        )

    def add_escalation(self, hold: str, escalation: Escalation, credential: str) -> None:
        """Append one, and the credential that it came with."""
        values = {**vars(escalation), "called": escalation.to or "", "credential": credential}
        del values["to"]
        self._connection.execute(ADD_ESCALATION, values | {"env": self.here.name, "hold": hold})

    def wake_all(self, hold: str) -> None:
        """Nobody has the hold snoozed any more."""
        self._connection.execute(WAKE_ALL, {"env": self.here.name, "hold": hold})


def escalation_from(row: rows.Row) -> Escalation:
    """A row of escalations."""
    return Escalation(row["person"], row["called"] or None, row["reason"], rows.instant(row["at"]))


def vote_from(row: rows.Row) -> Vote:
    """A row of votes."""
    return Vote(
        choice=Choice(row["choice"]),
        credential=row["credential"],
        person=row["person"],
        digest=row["digest"],
        version=row["version"],
        reason=row["reason"],
        approves=row["approves"],
        amount_minor=row["amount"],
        instead_of=tuple(row["instead_of"]),
    )
