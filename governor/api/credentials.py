"""Credentials: who may call, made and revoked by operators."""

from __future__ import annotations

from flask import Response

from governor.api.call import Call
from governor.api.output import Output
from governor.api.power_inputs import CredentialIn
from governor.api.responses import answer
from governor.api.route import Route
from governor.api.shown_settings import CredentialOut, NewCredentialOut, shown_credential
from governor.domain.credentials import Kind, Role
from governor.usecases.manage_credentials import CredentialDraft

COLLECTION = "/api/v1/credentials"


class CredentialsOut(Output):
    """All credentials of the environment, oldest first."""

    data: list[CredentialOut]


def _list(call: Call) -> Response:
    return answer({"data": [shown_credential(one) for one in call.use.queries.credentials(call.caller)]})


def _create(call: Call) -> Response:
    body = call.body(CredentialIn)
    draft = CredentialDraft(
        name=body.name,
        role=body.role,
        kind=body.kind or (Kind.PROGRAM if body.role is Role.AGENT else Kind.HUMAN),
        owner=body.owner or body.name,
        agent=body.agent,
        expires_at=body.expires_at,
    )
    credential, secret_key, replayed = call.use.manage_credentials.create(call.caller, draft, call.key)
    headers = {"Idempotent-Replayed": "true"} if replayed else {}
    return answer({**shown_credential(credential), "key": secret_key}, 201, headers)


def _revoke(call: Call, credential_id: str) -> Response:
    return answer(shown_credential(call.use.manage_credentials.revoke(call.caller, credential_id)))


ROUTES = (
    Route("GET", COLLECTION, _list, "Who may call.", CredentialsOut),
    Route(
        "POST",
        COLLECTION,
        _create,
        "A new credential. Its key is in this answer and nowhere else, ever.",
        NewCredentialOut,
        statuses=(201,),
        body=CredentialIn,
        keyed=True,
        headers=("Idempotent-Replayed",),
    ),
    Route(
        "DELETE",
        f"{COLLECTION}/<credential_id>",
        _revoke,
        "Revoke: from now on it opens nothing, and what it queued is not sent.",
        CredentialOut,
        problems=("credential_not_found",),
    ),
)
