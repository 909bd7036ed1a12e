"""A sound call of every route, for the authorization matrix."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from itertools import count

from governor.domain.approval import Choice
from governor.domain.credentials import Role
from governor.domain.limits import Scope
from tests.api.endpoints import endpoint_in, endpoints_with_room, replay_in
from tests.api.limit_words import word_path
from tests.api.ownership import Route
from tests.api.scenes import Scene, doubt_of, held_of, limit_of, request_of
from tests.builders import fresh_key
from tests.freezing import freeze
from tests.rules import idle_rule

_numbers = count(1)


@dataclass(frozen=True)
class Call:
    """What to send. `path` begins behind the API's root; `headers` have underscores in their names."""

    path: str
    body: object = None
    headers: Mapping[str, str] = field(default_factory=dict)


def _decision(scene: Scene) -> Call:
    request = held_of(scene)
    hold, _ = scene.world.app.queries.hold(scene.world.operator, request.hold or "")
    said = {"decision": "approve", "digest": hold.digest, "version": hold.version}
    return Call(f"/holds/{hold.id}/decisions", said)


def _answer(scene: Scene) -> Call:
    request = held_of(scene)
    scene.world.decide(scene.world.approver(f"curious {next(_numbers)}"), request, Choice.RETURN)
    return Call(f"/refund-requests/{request.id}/answers", {"text": "the red one"})


def _halted(scene: Scene) -> Call:
    """Halted only for who may let it go on: nobody else would, and the environment serves all calls."""
    if scene.caller.role is Role.OPERATOR:
        with scene.world.app.store.environment(scene.world.environment) as tx:
            tx.save_environment(
                replace(tx.here, halted_reason="overrun: rr_x", revision=tx.here.revision + 1)
            )
    return Call("/environment/acknowledge", {"reason": "seen"})


def _settings(scene: Scene) -> Call:
    world = scene.world
    revision = world.app.queries.environment(world.operator).revision
    said = {"mode": "enforce", "rate_per_second": 100, "approval_seconds": 3600}
    return Call("/environment", said, {"If_Match": f'"{revision}"'})


def _unfreezing(scene: Scene) -> Call:
    payment = scene.world.payment()
    freeze(scene.world, Scope.PAYMENT, payment)
    return Call("/environment/unfreeze", {"scope": "payment", "value": payment, "reason": "found"})


def _asked(scene: Scene) -> dict[str, object]:
    return {"payment": scene.world.payment(), "amount": 100, "currency": "usd"}


def _batch(scene: Scene) -> Call:
    return Call("/refund-batches", {"lines": [_asked(scene) | {"operation_key": fresh_key("line")}]})


def _revised(path: str, body: object = None) -> Call:
    return Call(path, body, {"If_Match": '"1"'})


_CAP = {"measure": "amount", "currency": "usd", "window": "day", "cap": 10_000_000_000}
_RULE = {"name": "no yen", "when": {"currency": "jpy"}, "then": {"effect": "deny"}}
_R, _H, _U, _L, _W, _P, _C, _E = (
    "/api/v1/refund-requests/<request_id>",
    "/api/v1/holds/<hold_id>",
    "/api/v1/unknown/<request_id>",
    "/api/v1/limits/<limit_id>",
    "/api/v1/limits/<limit_id>/changes/<change_id>",
    "/api/v1/rules/<rule_id>",
    "/api/v1/credentials/<credential_id>",
    "/api/v1/webhook-endpoints/<endpoint_id>",
)

MAKERS: dict[Route, Callable[[Scene], Call]] = {
    ("GET", _R): lambda scene: Call(f"/refund-requests/{request_of(scene).id}"),
    ("POST", f"{_R}/cancel"): lambda scene: Call(f"/refund-requests/{request_of(scene).id}/cancel"),
    ("POST", f"{_R}/answers"): _answer,
    ("POST", f"{_R}/nudge"): lambda scene: Call(f"/refund-requests/{held_of(scene).id}/nudge"),
    ("GET", _H): lambda scene: Call(f"/holds/{held_of(scene).hold}"),
    ("POST", f"{_H}/decisions"): _decision,
    ("GET", _U): lambda scene: Call(f"/unknown/{doubt_of(scene).id}"),
    ("POST", f"{_U}/reconcile"): lambda scene: Call(f"/unknown/{doubt_of(scene).id}/reconcile"),
    ("POST", f"{_U}/resolutions"): lambda scene: Call(
        f"/unknown/{doubt_of(scene).id}/resolutions", {"outcome": "failed", "reason": "looked"}
    ),
    ("GET", _L): lambda scene: Call(f"/limits/{limit_of(scene).id}"),
    ("GET", f"{_L}/counters"): lambda scene: Call(f"/limits/{limit_of(scene).id}/counters"),
    ("GET", f"{_L}/changes"): lambda scene: Call(f"/limits/{limit_of(scene).id}/changes"),
    ("GET", f"{_L}/exposure"): lambda scene: Call(f"/limits/{limit_of(scene).id}/exposure"),
    ("POST", f"{_W}/confirm"): lambda scene: Call(word_path(scene.world, limit_of(scene), "confirm")),
    ("POST", f"{_W}/withdraw"): lambda scene: Call(word_path(scene.world, limit_of(scene), "withdraw")),
    ("PUT", _L): lambda scene: _revised(f"/limits/{limit_of(scene).id}", {"cap": 4000}),
    ("DELETE", _L): lambda scene: _revised(f"/limits/{limit_of(scene).id}"),
    ("GET", _P): lambda scene: Call(f"/rules/{idle_rule(scene.world).id}"),
    ("GET", f"{_P}/health"): lambda scene: Call(f"/rules/{idle_rule(scene.world).id}/health"),
    ("GET", f"{_P}/revisions"): lambda scene: Call(f"/rules/{idle_rule(scene.world).id}/revisions"),
    ("PUT", _P): lambda scene: _revised(f"/rules/{idle_rule(scene.world).id}", _RULE),
    ("DELETE", _P): lambda scene: _revised(f"/rules/{idle_rule(scene.world).id}"),
    ("POST", "/api/v1/rules"): lambda _: Call("/rules", _RULE),
    ("POST", "/api/v1/rules/simulate"): lambda _: Call("/rules/simulate", {"days": 1}),
    ("POST", f"{_C}/rotate"): lambda scene: Call(f"/credentials/{scene.owner.credential.id}/rotate"),
    ("DELETE", _C): lambda scene: Call(f"/credentials/{scene.owner.credential.id}"),
    ("GET", _E): lambda scene: Call(f"/webhook-endpoints/{endpoint_in(scene.world)}"),
    ("DELETE", _E): lambda scene: Call(f"/webhook-endpoints/{endpoint_in(scene.world)}"),
    ("POST", f"{_E}/rotate"): lambda scene: Call(f"/webhook-endpoints/{endpoint_in(scene.world)}/rotate"),
    ("POST", f"{_E}/enable"): lambda scene: Call(f"/webhook-endpoints/{endpoint_in(scene.world)}/enable"),
    ("POST", f"{_E}/test"): lambda scene: Call(f"/webhook-endpoints/{endpoint_in(scene.world)}/test"),
    ("GET", f"{_E}/deliveries"): lambda scene: Call(
        f"/webhook-endpoints/{endpoint_in(scene.world)}/deliveries"
    ),
    ("POST", f"{_E}/deliveries/<message_id>/replay"): lambda scene: Call(replay_in(scene.world)),
    ("POST", "/api/v1/webhook-endpoints"): lambda scene: Call(
        endpoints_with_room(scene.world), {"url": "https://hooks.example.com/"}
    ),
    ("POST", "/api/v1/refund-requests"): lambda scene: Call("/refund-requests", _asked(scene)),
    ("POST", "/api/v1/refund-requests/preview"): lambda scene: Call(
        "/refund-requests/preview", _asked(scene)
    ),
    ("POST", "/api/v1/refund-batches"): _batch,
    ("GET", "/api/v1/allowance"): lambda _: Call("/allowance?currency=usd"),
    ("GET", "/api/v1/reports/reconciliation"): lambda _: Call("/reports/reconciliation?currency=usd"),
    ("POST", "/api/v1/limits"): lambda _: Call("/limits", _CAP | {"scope": "environment"}),
    ("POST", "/api/v1/credentials"): lambda _: Call("/credentials", {"name": "new", "role": "agent"}),
    ("PUT", "/api/v1/environment"): _settings,
    ("POST", "/api/v1/environment/acknowledge"): _halted,
    ("POST", "/api/v1/environment/freeze"): lambda scene: Call(
        "/environment/freeze", {"scope": "payment", "value": scene.world.payment(), "reason": "stop"}
    ),
    ("POST", "/api/v1/environment/unfreeze"): _unfreezing,
}
"""How to make a sound call; a look at a whole collection needs none."""


def has_maker(route: Route) -> bool:
    """Whether it is known how to make a sound call of a route."""
    return route in MAKERS or _is_plain_look(route)


def _is_plain_look(route: Route) -> bool:
    method, rule = route
    return method == "GET" and "<" not in rule


def call_of(route: Route, scene: Scene, relation: str) -> Call:
    """A sound call of a route, about the scene's object or one that does not exist."""
    if route not in MAKERS and _is_plain_look(route):
        return Call(route[1].removeprefix("/api/v1"))
    call = MAKERS[route](scene)
    if relation != "nobody":
        return call
    return replace(call, path=re.sub(r"_[0-9a-z]{26}", f"_{'0' * 26}", call.path))
