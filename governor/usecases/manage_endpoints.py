"""Endpoints: where messages go, made and changed by operators. What opens one is shown once and kept sealed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import timedelta

from governor.domain.credentials import Role
from governor.domain.endpoints import (
    MOST_ENDPOINTS,
    Endpoint,
    EndpointKind,
    Reach,
    mailboxes,
    message_types,
    signing_secret,
    web_address,
)
from governor.domain.errors import Conflict, NotFound, invalid
from governor.domain.messages import TEST
from governor.ports.couriers import Box, Couriers
from governor.ports.messages import EndpointStore, EndpointTransaction, SealedTarget
from governor.ports.world import IdFactory
from governor.usecases.callers import Caller, rights
from governor.usecases.credential_drafts import LONGEST_OVERLAP
from governor.usecases.operations import asked_of, earlier, remember


@dataclass(frozen=True)
class EndpointDraft:
    """An endpoint as it is asked for: a URL for a webhook or Slack, addresses for e-mail."""

    kind: EndpointKind
    url: str | None
    to: tuple[str, ...]
    types: tuple[str, ...]
    description: str | None


@dataclass(frozen=True)
class Made:
    """An endpoint with its secret, which is told this once; None for one that has none, or was made before."""

    endpoint: Endpoint
    secret: str | None
    replayed: bool


@dataclass(frozen=True)
class ManageEndpoints:
    """Make, change and delete endpoints, within `reach`."""

    store: EndpointStore
    ids: IdFactory
    box: Box
    couriers: Couriers
    reach: Reach

    def create(self, caller: Caller, draft: EndpointDraft, key: str) -> Made:
        """A new endpoint, and its secret if it has one. Under a key that was used its secret is not told again.

        Raises:
            Invalid: a URL, address or type that cannot be used. Conflict: `too_many_endpoints`, `mail_not_configured`.
        """
        target, place = self._target(draft)
        self.couriers.check(draft.kind)
        types = message_types(draft.types)
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            asked = asked_of(replace(draft, types=types))
            known = earlier(tx, f"endpoint:{caller.credential.id}", key, asked)
            if known is not None:
                return Made(_existing(tx, known), None, replayed=True)
            if len(tx.endpoints(tx.here.name)) >= MOST_ENDPOINTS:
                raise Conflict("too_many_endpoints", f"There are {MOST_ENDPOINTS} endpoints already.")
            named = self.ids.new("ep")
            endpoint = Endpoint(
                tx.here.name, named, draft.kind, place, types, draft.description, tx.now, tx.now
            )
            secret = signing_secret(self.ids.secret()) if draft.kind is EndpointKind.WEBHOOK else None
            tx.add_endpoint(endpoint, self._sealed(endpoint, target, secret))
            told = {"kind": draft.kind.value, "place": place, "types": list(types)}
            tx.append_audit([caller.entry("endpoint.created", endpoint.id, told)])
            remember(tx, f"endpoint:{caller.credential.id}", key, asked, endpoint.id)
        return Made(endpoint, secret, replayed=False)

    def rotate(self, caller: Caller, endpoint_id: str, overlap: timedelta, key: str) -> Made:
        """Another secret; for the overlap messages are signed with both.

        Raises:
            NotFound: `endpoint_not_found`. Conflict: `endpoint_has_no_secret`. Invalid: `/overlap_seconds`.
        """
        if not timedelta(0) <= overlap <= LONGEST_OVERLAP:
            raise invalid("/overlap_seconds", "overlap_out_of_range", "An overlap lasts a week at most.")
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            endpoint = _existing(tx, endpoint_id)
            asked = {"endpoint": endpoint_id, "seconds": int(overlap.total_seconds())}
            if earlier(tx, f"endpoint-rotation:{caller.credential.id}", key, asked) is not None:
                return Made(endpoint, None, replayed=True)
            if endpoint.kind is not EndpointKind.WEBHOOK:
                raise Conflict("endpoint_has_no_secret", "Only messages to webhooks are signed.")
            secret = signing_secret(self.ids.secret())
            sealed = self.box.seal(secret, endpoint.seat("secret"))
            tx.rotate_endpoint(endpoint_id, sealed, tx.now + overlap)
            told = {"previous_until": (tx.now + overlap).isoformat()}
            tx.append_audit([caller.entry("endpoint.rotated", endpoint_id, told)])
            remember(tx, f"endpoint-rotation:{caller.credential.id}", key, asked, endpoint_id)
            return Made(_existing(tx, endpoint_id), secret, replayed=False)

    def enable(self, caller: Caller, endpoint_id: str) -> Endpoint:
        """It gets what happens from now on; what it missed may be replayed.

        Raises:
            NotFound: `endpoint_not_found`.
        """
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            endpoint = _existing(tx, endpoint_id)
            if endpoint.disabled_at is None:
                return endpoint
            tx.enable_endpoint(endpoint_id)
            told = {"why": endpoint.disabled_reason.value if endpoint.disabled_reason else None}
            tx.append_audit([caller.entry("endpoint.enabled", endpoint_id, told)])
            return _existing(tx, endpoint_id)

    def delete(self, caller: Caller, endpoint_id: str) -> Endpoint:
        """It gets nothing more, and what opens it is forgotten.

        Raises:
            NotFound: `endpoint_not_found`.
        """
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            endpoint = _existing(tx, endpoint_id)
            tx.delete_endpoint(endpoint_id)
            told = {"kind": endpoint.kind.value, "place": endpoint.place}
            tx.append_audit([caller.entry("endpoint.deleted", endpoint_id, told)])
            return replace(endpoint, deleted_at=tx.now)

    def test(self, caller: Caller, endpoint_id: str, key: str) -> Endpoint:
        """A message of type `endpoint.tested` goes to this endpoint alone, on the way that all messages go.

        Raises:
            NotFound: `endpoint_not_found`. Conflict: `endpoint_disabled`.
        """
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            endpoint = _enabled(tx, endpoint_id)
            asked = {"endpoint": endpoint_id}
            if earlier(tx, f"endpoint-test:{caller.credential.id}", key, asked) is None:
                tx.append_audit([caller.entry(TEST, endpoint_id, {"place": endpoint.place})])
                remember(tx, f"endpoint-test:{caller.credential.id}", key, asked, endpoint_id)
            return endpoint

    def replay(self, caller: Caller, endpoint_id: str, message_id: str, key: str) -> None:
        """Carry a message to an endpoint again, under the same message id.

        Raises:
            NotFound: `endpoint_not_found`, `delivery_not_found`. Conflict: `endpoint_disabled`.
        """
        with self.store.environment(caller.environment) as tx:
            rights(tx, caller, Role.OPERATOR)
            _enabled(tx, endpoint_id)
            delivery = tx.delivery(tx.here.name, endpoint_id, message_id)
            if delivery is None:
                raise NotFound("delivery_not_found", "This endpoint was never told of such a message.")
            asked = {"endpoint": endpoint_id, "message": message_id}
            if earlier(tx, f"replay:{caller.credential.id}", key, asked) is None:
                tx.replay_delivery(endpoint_id, message_id)
                told = {"message": message_id, "from": delivery.state.value}
                tx.append_audit([caller.entry("endpoint.replayed", endpoint_id, told)])
                remember(tx, f"replay:{caller.credential.id}", key, asked, message_id)

    def _target(self, draft: EndpointDraft) -> tuple[str, str]:
        """What opens the endpoint, and what may be shown of it."""
        if draft.kind is EndpointKind.EMAIL:
            if draft.url is not None:
                raise invalid("/url", "url_refused", "E-mail goes to addresses, not to a URL.")
            to = mailboxes(draft.to)
            return ",".join(to), ", ".join(sorted({one.partition("@")[2].lower() for one in to}))
        if draft.url is None or draft.to:
            raise invalid("/url", "url_missing", "This kind of endpoint has a URL and no addresses.")
        return draft.url, web_address(draft.url, self.reach).host

    def _sealed(self, endpoint: Endpoint, target: str, secret: str | None) -> SealedTarget:
        sealed = self.box.seal(target, endpoint.seat("target"))
        return SealedTarget(sealed, self.box.seal(secret, endpoint.seat("secret")) if secret else None)


def _existing(tx: EndpointTransaction, endpoint_id: str) -> Endpoint:
    found = tx.endpoint(tx.here.name, endpoint_id)
    if found is None:
        raise NotFound("endpoint_not_found", "There is no such endpoint.")
    return found[0]


def _enabled(tx: EndpointTransaction, endpoint_id: str) -> Endpoint:
    endpoint = _existing(tx, endpoint_id)
    if endpoint.disabled_at is not None:
        raise Conflict("endpoint_disabled", "The endpoint is disabled; enable it first.")
    return endpoint
