"""Credentials: who may call, made and revoked by operators, and narrower ones by agents."""

from __future__ import annotations

from datetime import timedelta

from flask import Response

from governor.api.call import Call
from governor.api.output import Output
from governor.api.power_inputs import CredentialIn, RevocationIn, RotationIn
from governor.api.responses import answer
from governor.api.route import Route
from governor.api.shown_settings import CredentialOut, NewCredentialOut, shown_credential
from governor.usecases.manage_credentials import Made

COLLECTION = "/api/v1/credentials"


class CredentialsOut(Output):
    """Credentials as a tree: children right behind their parent, oldest first."""

    data: list[CredentialOut]


def _list(call: Call) -> Response:
    return answer({"data": [shown_credential(one) for _, one in call.use.queries.credentials(call.caller)]})


def _create(call: Call) -> Response:
    made = call.use.manage_credentials.create(call.caller, call.body(CredentialIn).draft(), call.key)
    return _made(made, 201)


def _rotate(call: Call, credential_id: str) -> Response:
    overlap = timedelta(seconds=call.body(RotationIn).overlap_seconds)
    return _made(call.use.manage_credentials.rotate(call.caller, credential_id, overlap, call.key), 200)


def _made(made: Made, status: int) -> Response:
    credential, secret_key, replayed = made
    headers = {"Idempotent-Replayed": "true"} if replayed else {}
    return answer({**shown_credential(credential), "key": secret_key}, status, headers)


def _revoke(call: Call, credential_id: str) -> Response:
    reason = call.body(RevocationIn).reason
    return answer(shown_credential(call.use.manage_credentials.revoke(call.caller, credential_id, reason)))


ROUTES = (
    Route("GET", COLLECTION, _list, "Who may call; an agent sees its own and what is below.", CredentialsOut),
    Route(
        "POST",
        COLLECTION,
        _create,
        "A new credential, an agent's being its child. Its key is in this answer and nowhere else, ever.",
        NewCredentialOut,
        statuses=(201,),
        body=CredentialIn,
        keyed=True,
        headers=("Idempotent-Replayed",),
        problems=("wider_than_parent", "credential_superseded", "delegation_too_deep", "too_many_children"),
    ),
    Route(
        "POST",
        f"{COLLECTION}/<credential_id>/rotate",
        _rotate,
        "A new secret, shown once; the old one still opens for the overlap.",
        NewCredentialOut,
        body=RotationIn,
        body_optional=True,
        keyed=True,
        headers=("Idempotent-Replayed",),
        problems=(
            "credential_not_found",
            "credential_keyless",
            "credential_dead",
            "credential_superseded",
            "credential_not_yours",
        ),
    ),
    Route(
        "DELETE",
        f"{COLLECTION}/<credential_id>",
        _revoke,
        "Revoke: from now on it and all below it open nothing, and what they queued is canceled.",
        CredentialOut,
        body=RevocationIn,
        body_optional=True,
        problems=("credential_not_found",),
    ),
)
