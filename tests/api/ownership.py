"""Who gets what of whose: written by hand, without a look at the code that decides it.

`OBJECTS`: for every route that names an object in its path and every role that may call it, the status by whose the
object is. `COLLECTIONS`: for every other route, the status that a sound call gets. A role that is not named gets 403
whatever it asks for, and what is of another environment is 404 to every role that is, as is what does not exist.
"""

from __future__ import annotations

from collections.abc import Iterator

from governor.domain.credentials import Role

Route = tuple[str, str]

RELATIONS = ("own", "child", "parent", "other", "peer")
"""Whose an object is, seen from the caller.

A request, hold or limit is of the credential that asked, or that it is for, and a rule is nobody's: `own` is the caller's, or of another
credential of the same person; `child`, one below the caller's; `parent`, the one above it; `other`, a stranger's.
An endpoint is the environment's, and so everybody's `own` who may have to do with it.
A credential is `own` only to itself; `other` is a strange agent's, and `peer` a stranger's of the caller's role.
"""
NOWHERE = ("elsewhere", "nobody")
"""In another environment, and not at all."""

# route                                             role  own  child parent other peer
OBJECTS = """
 GET    /api/v1/refund-requests/<request_id>         a    200  200   200    200   -
 GET    /api/v1/refund-requests/<request_id>         p    200  -     -      200   -
 GET    /api/v1/refund-requests/<request_id>         o    200  -     -      200   -
 GET    /api/v1/refund-requests/<request_id>         u    200  -     -      200   -
 POST   /api/v1/refund-requests/<request_id>/cancel  a    200  200   200    403   -
 POST   /api/v1/refund-requests/<request_id>/cancel  o    200  -     -      200   -
 POST   /api/v1/refund-requests/<request_id>/answers a    200  200   200    403   -
 POST   /api/v1/refund-requests/<request_id>/nudge   a    200  200   200    403   -
 GET    /api/v1/holds/<hold_id>                      p    200  -     -      200   -
 GET    /api/v1/holds/<hold_id>                      o    200  -     -      200   -
 GET    /api/v1/holds/<hold_id>                      u    200  -     -      200   -
 POST   /api/v1/holds/<hold_id>/decisions            p    403  -     -      200   -
 GET    /api/v1/unknown/<request_id>                 o    200  -     -      200   -
 GET    /api/v1/unknown/<request_id>                 u    200  -     -      200   -
 POST   /api/v1/unknown/<request_id>/reconcile       o    200  -     -      200   -
 POST   /api/v1/unknown/<request_id>/resolutions     o    403  -     -      202   -
 GET    /api/v1/limits/<limit_id>                    p    200  -     -      200   -
 GET    /api/v1/limits/<limit_id>                    o    200  -     -      200   -
 GET    /api/v1/limits/<limit_id>                    u    200  -     -      200   -
 GET    /api/v1/limits/<limit_id>/counters           p    200  -     -      200   -
 GET    /api/v1/limits/<limit_id>/counters           o    200  -     -      200   -
 GET    /api/v1/limits/<limit_id>/counters           u    200  -     -      200   -
 GET    /api/v1/limits/<limit_id>/changes            p    200  -     -      200   -
 GET    /api/v1/limits/<limit_id>/changes            o    200  -     -      200   -
 GET    /api/v1/limits/<limit_id>/changes            u    200  -     -      200   -
 GET    /api/v1/limits/<limit_id>/exposure           p    200  -     -      200   -
 GET    /api/v1/limits/<limit_id>/exposure           o    200  -     -      200   -
 GET    /api/v1/limits/<limit_id>/exposure           u    200  -     -      200   -
 POST   /api/v1/limits/<limit_id>/changes/<change_id>/confirm o 200 - - 200 -
 POST   /api/v1/limits/<limit_id>/changes/<change_id>/withdraw o 200 - - 200 -
 PUT    /api/v1/limits/<limit_id>                    o    200  -     -      200   -
 DELETE /api/v1/limits/<limit_id>                    o    200  -     -      200   -
 GET    /api/v1/rules/<rule_id>                      p    200  -     -      200   -
 GET    /api/v1/rules/<rule_id>                      o    200  -     -      200   -
 GET    /api/v1/rules/<rule_id>                      u    200  -     -      200   -
 GET    /api/v1/rules/<rule_id>/health               p    200  -     -      200   -
 GET    /api/v1/rules/<rule_id>/health               o    200  -     -      200   -
 GET    /api/v1/rules/<rule_id>/health               u    200  -     -      200   -
 GET    /api/v1/rules/<rule_id>/revisions            p    200  -     -      200   -
 GET    /api/v1/rules/<rule_id>/revisions            o    200  -     -      200   -
 GET    /api/v1/rules/<rule_id>/revisions            u    200  -     -      200   -
 PUT    /api/v1/rules/<rule_id>                      o    200  -     -      200   -
 DELETE /api/v1/rules/<rule_id>                      o    200  -     -      200   -
 POST   /api/v1/credentials/<credential_id>/rotate   a    200  200   404    404   404
 POST   /api/v1/credentials/<credential_id>/rotate   p    200  -     -      404   404
 POST   /api/v1/credentials/<credential_id>/rotate   o    200  -     -      200   403
 POST   /api/v1/credentials/<credential_id>/rotate   u    200  -     -      404   404
 DELETE /api/v1/credentials/<credential_id>          a    200  200   404    404   404
 DELETE /api/v1/credentials/<credential_id>          o    200  -     -      200   200
 GET    /api/v1/webhook-endpoints/<endpoint_id>         o 200  -     -      -     -
 DELETE /api/v1/webhook-endpoints/<endpoint_id>         o 200  -     -      -     -
 POST   /api/v1/webhook-endpoints/<endpoint_id>/rotate  o 200  -     -      -     -
 POST   /api/v1/webhook-endpoints/<endpoint_id>/enable  o 200  -     -      -     -
 POST   /api/v1/webhook-endpoints/<endpoint_id>/test    o 200  -     -      -     -
 GET    /api/v1/webhook-endpoints/<endpoint_id>/deliveries  o 200  -     -      -     -
 POST   /api/v1/webhook-endpoints/<endpoint_id>/deliveries/<message_id>/replay  o 200  -  -  -  -
"""

COLLECTIONS = """
 POST   /api/v1/refund-requests           a        202
 POST   /api/v1/refund-requests/preview   a        200
 POST   /api/v1/refund-batches            a        202
 GET    /api/v1/allowance                 a        200
 GET    /api/v1/refund-requests           a p o u  200
 GET    /api/v1/holds                     p o u    200
 GET    /api/v1/unknown                   o u      200
 GET    /api/v1/limits                    p o u    200
 POST   /api/v1/limits                    o        201
 GET    /api/v1/rules                     p o u    200
 POST   /api/v1/rules                     o        201
 POST   /api/v1/rules/simulate            o u      200
 GET    /api/v1/credentials               a o u    200
 POST   /api/v1/credentials               a o      201
 GET    /api/v1/environment               a p o u  200
 PUT    /api/v1/environment               o        200
 POST   /api/v1/environment/acknowledge   o        200
 POST   /api/v1/environment/freeze        o        200
 POST   /api/v1/environment/unfreeze      o        200
 GET    /api/v1/freezes                   p o u    200
 GET    /api/v1/reports/reconciliation    o u      200
 GET    /api/v1/external-refunds          p o u    200
 GET    /api/v1/webhook-endpoints         o        200
 POST   /api/v1/webhook-endpoints         o        201
 GET    /api/v1/audit                     o u      200
 GET    /api/v1/audit/verify              o u      200
 GET    /api/v1/audit/export              o u      200
 GET    /api/v1/audit/manifest            o u      200
"""
_LETTERS = {"a": Role.AGENT, "p": Role.APPROVER, "o": Role.OPERATOR, "u": Role.AUDITOR}


def _lines(table: str) -> Iterator[list[str]]:
    return (line.split() for line in table.strip().splitlines())


def object_rows() -> dict[tuple[Route, Role], dict[str, int]]:
    """Route and role → relation → status, for the relations that a role can have to the object."""
    return {
        ((method, rule), _LETTERS[role]): {
            relation: int(status)
            for relation, status in zip(RELATIONS, statuses, strict=True)
            if status != "-"
        }
        for method, rule, role, *statuses in _lines(OBJECTS)
    }


def collection_rows() -> dict[Route, tuple[frozenset[Role], int]]:
    """Route → who may call it, and what a sound call is answered."""
    return {
        (method, rule): (frozenset(_LETTERS[role] for role in roles), int(status))
        for method, rule, *roles, status in _lines(COLLECTIONS)
    }


def described() -> dict[Route, frozenset[Role]]:
    """Every route of both tables, and who may call it."""
    by_object: dict[Route, frozenset[Role]] = {}
    for route, role in object_rows():
        by_object[route] = by_object.get(route, frozenset()) | {role}
    return by_object | {route: roles for route, (roles, _) in collection_rows().items()}
