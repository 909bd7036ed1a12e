"""The yardstick of `bench http`: the production application plus one endpoint that only authenticates and INSERTs.

Loaded by gunicorn for benches alone (`governor.bench.one_insert:application`): the production application never
imports this. The endpoint asks for the same key, reads its body through the same gate into the same model, and
answers with a small JSON.
"""

from __future__ import annotations

import hashlib

from flask import Flask, Response, request
from sqlalchemy import Engine, text

from governor.api.app import create_app
from governor.api.auth import bearer_key
from governor.api.gate import check_media, read_object
from governor.api.inputs import RefundRequestIn
from governor.api.responses import answer
from governor.bench.world import AgreeingProvider
from governor.bootstrap import Application, build
from governor.domain.identity import operation_key
from governor.http.request_line import check_accept
from governor.settings import Settings

RULE = "/bench/one-insert"

TABLE = text("""
    CREATE TABLE IF NOT EXISTS bench_one_insert (
        operation_key text PRIMARY KEY, environment text NOT NULL, payment text NOT NULL, amount bigint NOT NULL)""")
_INSERT = text("INSERT INTO bench_one_insert VALUES (:key, :environment, :payment, :amount)")


def with_one_insert(use: Application) -> Flask:
    """The whole surface, and the yardstick beside it."""
    app = create_app(use, trusted_hosts=["127.0.0.1"], cursor_key=hashlib.sha256(b"bench").digest())

    def view() -> Response:
        check_accept(request.accept_mimetypes)
        caller = use.authenticate(bearer_key(request.headers.get("Authorization")))
        key = operation_key(request.headers.get("Idempotency-Key"))
        check_media(request.content_type, request.headers.get("Content-Encoding"))
        sent = RefundRequestIn.model_validate(read_object(request.get_data(cache=False)))
        _insert(use.engine, caller.environment, key, sent)
        return answer({"operation_key": key, "payment": sent.payment, "amount": sent.amount}, 201)

    app.add_url_rule(RULE, "one_insert", view, methods=["POST"])
    return app


def _insert(engine: Engine, environment: str, key: str, sent: RefundRequestIn) -> None:
    row = {"key": key, "environment": environment, "payment": sent.payment, "amount": sent.amount}
    with engine.begin() as connection:
        connection.execute(_INSERT, row)


def application() -> Flask:
    """What gunicorn calls once, before it forks: the application of this process's settings."""
    return with_one_insert(build(Settings(), provider=AgreeingProvider()))
