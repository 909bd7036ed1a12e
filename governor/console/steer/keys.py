"""Keys and memberships: who may do what here, made and shown once, replaced with an overlap, revoked at once."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from flask import Response

from governor.console import typed_times
from governor.console.amounts import typed_amount, typed_currency
from governor.console.fields import Field, Filled, Form
from governor.console.page import Group, Page
from governor.console.visit import Visit
from governor.domain.credentials import Credential, Kind, Role, alive
from governor.domain.errors import NotFound, Refused, invalid
from governor.domain.limits import Scope
from governor.usecases.credential_drafts import CredentialDraft

KEYS = "/keys"
READERS = (Role.OPERATOR, Role.AUDITOR, Role.AGENT)
MAKERS = (Role.OPERATOR, Role.AGENT)
ROLES = tuple((role.value, role.value) for role in Role)
OVERLAPS = (
    ("0", "none: the old secret stops at once"),
    ("3600", "an hour"),
    ("86400", "a day"),
    ("604800", "a week"),
)


UP_TO = (
    Field(
        "up_to", "May approve up to", "For an approver. Left out: any amount.", kind="amount", optional=True
    ),
    Field(
        "currency",
        "In this currency",
        "For an approver: others not at all.",
        optional=True,
        at_most=3,
        read=typed_currency,
    ),
)
NEW = Form(
    (
        Field("name", "Name", "What the key is called here.", at_most=100),
        Field("role", "Role", kind="select", options=ROLES),
        Field(
            "kind",
            "Held by",
            kind="radios",
            options=((Kind.PROGRAM.value, "a program"), (Kind.HUMAN.value, "a person")),
        ),
        Field("owner", "Who answers for it", "Left out: its name.", optional=True, at_most=100),
        Field("agent", "Whose refunds it counts as", "Left out: its name.", optional=True, at_most=100),
        Field(
            "expires_at",
            "Ends",
            "A date like 2026-11-30, on which it is still good. Left out: never.",
            optional=True,
            read=typed_times.end,
        ),
        *UP_TO,
    )
)
NARROWER = Form(tuple(one for one in NEW.fields if one.name in {"name", "kind", "expires_at"}))
"""What an agent is asked about a key of its own: the rest is as its own is (governor.domain.delegation)."""
ROTATE = Form((Field("overlap", "How long the old secret still opens", kind="radios", options=OVERLAPS),))
REVOKE = Form((Field("reason", "Why", kind="area", at_most=2000, missing="Say why it ends."),))


def up_to(amount: str | None, currency: str | None) -> dict[str, int] | None:
    """What an approver may approve at once, out of the two fields.

    Raises:
        Invalid: one of them is missing, or the amount cannot be read.
    """
    if amount is None and currency is None:
        return None
    if amount is None or currency is None:
        raise invalid("/up_to", "up_to_unfit", "An amount has a currency, and a currency an amount.")
    return {currency: typed_amount(amount, currency)}


def _list(visit: Visit) -> Response:
    tree = [one for one in visit.use.queries.credentials(visit.caller) if one[1].person is None]
    return visit.show(
        "keys/list.html",
        tree=tree,
        living=_living(visit),
        stopped=_stopped(visit),
        may_make=visit.caller.role in MAKERS,
    )


def _living(visit: Visit) -> frozenset[str]:
    """Which of them open anything: with everything above them."""
    known = {one.id: one for _, one in visit.use.queries.credentials(visit.caller)}
    return frozenset(one.id for one in known.values() if alive(_chain(known, one), visit.now))


def _stopped(visit: Visit) -> frozenset[str]:
    """Which of them send nothing: they, or what is above them, are frozen."""
    known = {one.id: one for _, one in visit.use.queries.credentials(visit.caller)}
    freezes = visit.use.queries.freezes(visit.caller)
    frozen = {one.value for one in freezes if one.scope is Scope.CREDENTIAL}
    return frozenset(
        one.id for one in known.values() if any(above.id in frozen for above in _chain(known, one))
    )


def _chain(known: dict[str, Credential], one: Credential) -> list[Credential]:
    """A credential with what is above it, as far as the visitor may know: an agent's own is the top of its tree."""
    chain = [one]
    while (above := known.get(chain[-1].parent or "")) is not None:
        chain.append(above)
    return [*chain[:-1], replace(chain[-1], parent=None)]


def _one(visit: Visit, credential_id: str) -> Response:
    credential = _known(visit, credential_id)
    below = [one for _, one in visit.use.queries.credentials(visit.caller) if one.parent == credential_id]
    return visit.show(
        "keys/one.html",
        credential=credential,
        below=below,
        lives=credential_id in _living(visit),
        stopped=credential_id in _stopped(visit),
        may_change=visit.caller.role in MAKERS,
    )


def _known(visit: Visit, credential_id: str) -> Credential:
    for _, one in visit.use.queries.credentials(visit.caller):
        if one.id == credential_id:
            return one
    raise NotFound("credential_not_found", "There is no such key here.")


def _new(visit: Visit) -> Response:
    return visit.show(
        "keys/new.html", form=visit.form(_asked(visit), start={"role": "agent", "kind": "program"})
    )


def _asked(visit: Visit) -> Form:
    return NARROWER if visit.caller.role is Role.AGENT else NEW


def _make(visit: Visit) -> Response:
    """The secret is shown in this answer and nowhere else: a second click finds that the key is made."""
    filled = visit.form(_asked(visit))
    try:
        values = filled.read()
        draft = CredentialDraft(
            values["name"],
            Role(values.get("role", Role.AGENT)),
            Kind(values["kind"]),
            values.get("owner"),
            values.get("agent"),
            values["expires_at"],
            up_to(values.get("up_to"), values.get("currency")),
        )
        made, key, _ = visit.use.manage_credentials.create(visit.caller, draft, filled.once)
    except Refused as refusal:
        return visit.show_again("keys/new.html", filled, refusal)
    return visit.show("keys/secret.html", credential=made, key=key, title="The key was made")


def _ask_rotate(visit: Visit, credential_id: str) -> Response:
    return _rotating(visit, credential_id, visit.form(start={"overlap": "0"}))


def _rotate(visit: Visit, credential_id: str) -> Response:
    filled = visit.form()
    try:
        overlap = timedelta(seconds=int(filled.read()["overlap"]))
        made, key, _ = visit.use.manage_credentials.rotate(visit.caller, credential_id, overlap, filled.once)
    except Refused as refusal:
        return _rotating(visit, credential_id, filled.refused(refusal), status=422)
    return visit.show("keys/secret.html", credential=made, key=key, title="The secret was replaced")


def _rotating(visit: Visit, credential_id: str, form: Filled, *, status: int = 200) -> Response:
    return visit.show("keys/rotate.html", status=status, form=form, credential=_known(visit, credential_id))


def _ask_revoke(visit: Visit, credential_id: str) -> Response:
    return _revoking(visit, credential_id, visit.form())


def _revoke(visit: Visit, credential_id: str) -> Response:
    filled = visit.form()
    try:
        visit.use.manage_credentials.revoke(visit.caller, credential_id, filled.read()["reason"])
    except Refused as refusal:
        return _revoking(visit, credential_id, filled.refused(refusal), status=422)
    return visit.go(
        f"{KEYS}/{credential_id}",
        "It is revoked, with everything below it. What it asked for and is not sent is canceled.",
    )


def _revoking(visit: Visit, credential_id: str, form: Filled, *, status: int = 200) -> Response:
    tree = visit.use.queries.credentials(visit.caller)
    below = [one for _, one in tree if one.parent == credential_id]
    return visit.show(
        "keys/revoke.html", status=status, form=form, credential=_known(visit, credential_id), below=below
    )


PAGES = (
    Page("GET", KEYS, _list, READERS, "Keys", group=Group.PEOPLE, label="Keys"),
    Page("GET", f"{KEYS}/new", _new, MAKERS, "New key", form=NEW),
    Page("POST", f"{KEYS}/new", _make, MAKERS, "New key", form=NEW),
    Page("GET", f"{KEYS}/<credential_id>", _one, READERS, "Key", finds=(("cred_", "credential_id"),)),
    Page("GET", f"{KEYS}/<credential_id>/rotate", _ask_rotate, MAKERS, "Replace the secret", form=ROTATE),
    Page("POST", f"{KEYS}/<credential_id>/rotate", _rotate, MAKERS, "Replace the secret", form=ROTATE),
    Page("GET", f"{KEYS}/<credential_id>/revoke", _ask_revoke, MAKERS, "Revoke", form=REVOKE),
    Page("POST", f"{KEYS}/<credential_id>/revoke", _revoke, MAKERS, "Revoke", form=REVOKE),
)
