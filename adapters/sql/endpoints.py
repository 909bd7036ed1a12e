"""Endpoints in the database, and the deliveries on their way to them."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import Connection, text

from adapters.sql import rows
from adapters.sql.execute import record, records
from governor.domain.deliveries import Delivery, DeliveryState
from governor.domain.endpoints import Disabled, Endpoint, EndpointKind
from governor.domain.environments import Environment
from governor.ports.messages import DeliveryFilter, EndpointHealth, PassedOver, SealedTarget

ENDPOINTS = text("""
    SELECT to_jsonb(e) FROM endpoints e WHERE environment = :env AND deleted_at IS NULL ORDER BY id""")
HAS_ENDPOINTS = text("""
    SELECT EXISTS (SELECT FROM endpoints WHERE environment = :env AND deleted_at IS NULL)""")
ENDPOINT = text(
    "SELECT to_jsonb(e) FROM endpoints e WHERE environment = :env AND id = :id AND deleted_at IS NULL"
)
HEALTH = text("""
    SELECT jsonb_build_object('endpoint', to_jsonb(e),
        'waiting', (SELECT count(*) FROM deliveries d WHERE d.environment = e.environment AND d.endpoint = e.id
            AND d.state IN ('pending', 'sending')),
        'given_up', (SELECT count(*) FROM deliveries d WHERE d.environment = e.environment AND d.endpoint = e.id
            AND d.state = 'given_up'))
    FROM endpoints e WHERE e.environment = :env AND e.deleted_at IS NULL ORDER BY e.id""")
PASSED_OVER = text("""
    SELECT jsonb_build_object('count', count(*), 'first', min(seq), 'since', min(at))
    FROM passed_over WHERE environment = :env HAVING count(*) > 0""")
DELIVERY = text("""
    SELECT to_jsonb(d) || jsonb_build_object('type', m.type, 'object', m.object)
    FROM deliveries d CROSS JOIN LATERAL (
        SELECT type, object FROM messages x WHERE x.environment = d.environment AND x.id = d.message LIMIT 1) m
    WHERE d.environment = :env AND d.endpoint = :endpoint AND d.message = :message""")
DELIVERIES = text("""
    SELECT to_jsonb(d) || jsonb_build_object('type', m.type, 'object', m.object)
    FROM deliveries d JOIN messages m ON m.environment = d.environment AND m.id = d.message
    WHERE d.environment = :env AND d.endpoint = :endpoint
    AND (CAST(:after AS text) IS NULL OR d.message < :after)
    AND (cardinality(CAST(:states AS text[])) = 0 OR d.state = ANY(:states))
    AND (cardinality(CAST(:types AS text[])) = 0 OR m.type = ANY(:types))
    ORDER BY d.message DESC LIMIT :at_most""")
ADD_ENDPOINT = text("""
    INSERT INTO endpoints (environment, id, kind, place, target, secret, types, description, created_at,
        told_since)
    VALUES (:env, :id, :kind, :place, :target, :secret, :types, :description, :now, :now)""")
ROTATE_ENDPOINT = text("""
    UPDATE endpoints SET previous_secret = secret, previous_until = :until, secret = :secret, rotated_at = :now
    WHERE environment = :env AND id = :id""")
DISABLE_ENDPOINT = text("""
    UPDATE endpoints SET disabled_at = :now, disabled_reason = :reason WHERE environment = :env AND id = :id""")
ENABLE_ENDPOINT = text("""
    UPDATE endpoints SET disabled_at = NULL, disabled_reason = NULL, failing_since = NULL, told_since = :now
    WHERE environment = :env AND id = :id""")
DELETE_ENDPOINT = text("""
    UPDATE endpoints SET deleted_at = :now, target = NULL, secret = NULL, previous_secret = NULL,
        previous_until = NULL WHERE environment = :env AND id = :id""")
GIVE_UP = text("""
    UPDATE deliveries SET state = 'given_up', due_at = NULL, last_error = :why
    WHERE environment = :env AND endpoint = :id AND state IN ('pending', 'sending')""")
REPLAY = text("""
    UPDATE deliveries SET state = 'pending', tries = 0, due_at = :now, delivered_at = NULL
    WHERE environment = :env AND endpoint = :endpoint AND message = :message""")


class EndpointReadings:
    """What `governor.ports.messages.EndpointReads` asks, on one connection."""

    _connection: Connection

    def endpoints(self, environment: str) -> tuple[Endpoint, ...]:
        """Those that are not deleted, oldest first."""
        return tuple(map(endpoint_from, records(self._connection, ENDPOINTS, env=environment)))

    def has_endpoints(self, environment: str) -> bool:
        """Whether there is one that is not deleted."""
        return bool(self._connection.scalar(HAS_ENDPOINTS, {"env": environment}))

    def endpoint(self, environment: str, endpoint_id: str) -> tuple[Endpoint, SealedTarget] | None:
        """One that is not deleted, with what opens it."""
        row = record(self._connection, ENDPOINT, env=environment, id=endpoint_id)
        return (endpoint_from(row), sealed_from(row)) if row else None

    def endpoint_health(self, environment: str) -> tuple[EndpointHealth, ...]:
        """The endpoints with what became of their deliveries, oldest first."""
        return tuple(
            EndpointHealth(endpoint_from(row["endpoint"]), row["waiting"], row["given_up"])
            for row in records(self._connection, HEALTH, env=environment)
        )

    def passed_over(self, environment: str) -> PassedOver | None:
        """What nobody could be told of; None when that is nothing."""
        row = record(self._connection, PASSED_OVER, env=environment)
        return PassedOver(row["count"], row["first"], rows.instant(row["since"])) if row else None

    def delivery(self, environment: str, endpoint_id: str, message_id: str) -> Delivery | None:
        """One delivery."""
        asked = {"env": environment, "endpoint": endpoint_id, "message": message_id}
        row = record(self._connection, DELIVERY, **asked)
        return _delivery_from(row) if row else None

    def deliveries(
        self, environment: str, endpoint_id: str, chosen: DeliveryFilter, *, after: str | None, at_most: int
    ) -> tuple[Delivery, ...]:
        """Newest message first; `after` is the id of the last message already seen."""
        found = records(
            self._connection,
            DELIVERIES,
            env=environment,
            endpoint=endpoint_id,
            states=[state.value for state in chosen.states],
            types=list(chosen.types),
            after=after,
            at_most=at_most,
        )
        return tuple(map(_delivery_from, found))


class EndpointWrites:
    """What `governor.ports.messages.EndpointTransaction` writes."""

    _connection: Connection
    here: Environment
    now: datetime

    def add_endpoint(self, endpoint: Endpoint, sealed: SealedTarget) -> None:
        """A new endpoint, with what opens it."""
        self._on_endpoint(
            ADD_ENDPOINT,
            endpoint.id,
            kind=endpoint.kind.value,
            place=endpoint.place,
            target=sealed.target,
            secret=sealed.secret,
            types=list(endpoint.types),
            description=endpoint.description,
            now=self.now,
        )

    def rotate_endpoint(self, endpoint_id: str, secret: bytes, until: datetime) -> None:
        """A new secret; messages are signed with the one it replaces until then, too."""
        self._on_endpoint(ROTATE_ENDPOINT, endpoint_id, secret=secret, until=until, now=self.now)

    def disable_endpoint(self, endpoint_id: str, reason: Disabled) -> None:
        """It gets nothing more; what was on its way is given up."""
        self._on_endpoint(DISABLE_ENDPOINT, endpoint_id, reason=reason.value, now=self.now)
        self._on_endpoint(GIVE_UP, endpoint_id, why="endpoint_disabled")

    def enable_endpoint(self, endpoint_id: str) -> None:
        """It gets what happens from now on."""
        self._on_endpoint(ENABLE_ENDPOINT, endpoint_id, now=self.now)

    def delete_endpoint(self, endpoint_id: str) -> None:
        """What opens it is forgotten for good; what was on its way is given up."""
        self._on_endpoint(DELETE_ENDPOINT, endpoint_id, now=self.now)
        self._on_endpoint(GIVE_UP, endpoint_id, why="endpoint_deleted")

    def replay_delivery(self, endpoint_id: str, message_id: str) -> None:
        """It is tried again from now on, as if it never was."""
        asked = {"env": self.here.name, "endpoint": endpoint_id, "message": message_id, "now": self.now}
        self._connection.execute(REPLAY, asked)

    def _on_endpoint(self, statement: Any, endpoint_id: str, **parameters: Any) -> None:  # noqa: ANN401  a TextClause and its bind values
        self._connection.execute(statement, {"env": self.here.name, "id": endpoint_id, **parameters})


def endpoint_from(row: rows.Row) -> Endpoint:
    """A row of endpoints, without what opens it."""
    reason = row["disabled_reason"]
    return Endpoint(
        environment=row["environment"],
        id=row["id"],
        kind=EndpointKind(row["kind"]),
        place=row["place"],
        types=tuple(row["types"]),
        description=row["description"],
        created_at=rows.instant(row["created_at"]),
        told_since=rows.instant(row["told_since"]),
        rotated_at=rows.moment(row["rotated_at"]),
        previous_until=rows.moment(row["previous_until"]),
        failing_since=rows.moment(row["failing_since"]),
        disabled_at=rows.moment(row["disabled_at"]),
        disabled_reason=Disabled(reason) if reason else None,
        deleted_at=rows.moment(row["deleted_at"]),
    )


def sealed_from(row: rows.Row) -> SealedTarget:
    """What opens an endpoint, sealed, of a row of endpoints."""
    target = _bytes(row["target"])
    return SealedTarget(target or b"", _bytes(row["secret"]), _bytes(row["previous_secret"]))


def _bytes(spelt: str | None) -> bytes | None:
    r"""A bytea as JSON spells it: \x and hexadecimal digits."""
    return None if spelt is None else bytes.fromhex(spelt.removeprefix("\\x"))


def _delivery_from(row: rows.Row) -> Delivery:
    return Delivery(
        endpoint=row["endpoint"],
        message=row["message"],
        type=row["type"],
        object=row["object"],
        state=DeliveryState(row["state"]),
        tries=row["tries"],
        due_at=rows.moment(row["due_at"]),
        created_at=rows.instant(row["created_at"]),
        tried_at=rows.moment(row["tried_at"]),
        delivered_at=rows.moment(row["delivered_at"]),
        last_status=row["last_status"],
        last_error=row["last_error"],
        last_milliseconds=row["last_milliseconds"],
    )
