"""The connection pool, with the settings that make a commit mean what it says."""

from __future__ import annotations

import json
import os
from typing import Any

from sqlalchemy import Engine, create_engine, event

from adapters.sql.connection import HonestConnection

# A statement or a lock that takes longer than this is answered with 503, never with "denied". A process that
# was stopped inside a transaction must not keep its environment's line for ever. The statements here are few
# and fixed: planning them anew on each call costs more than it gains. Their plans are made while tables are
# small, when a scan looks cheap, and are kept while the tables grow: so scans are not to be considered.
_OPTIONS = (
    "-c timezone=UTC -c statement_timeout=10000 -c lock_timeout=5000"
    " -c idle_in_transaction_session_timeout=10000 -c plan_cache_mode=force_generic_plan -c jit=off -c enable_seqscan=off"
)

# A host that vanished without a word: noticed in seconds, where TCP by itself takes hours.
_GONE = {"keepalives_idle": 5, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 15000}


def make_engine(database_url: str, *, pool_size: int = 16) -> Engine:
    """An engine whose pool survives forks and whose errors never show parameters.

    More connections than 16 slow a hot row down (PERFORMANCE.md, "Pitfalls seen").
    """
    engine = create_engine(
        database_url,
        pool_size=pool_size,
        max_overflow=0,
        pool_timeout=5,
        pool_use_lifo=True,
        hide_parameters=True,
        json_deserializer=_json_value,
        connect_args={
            "options": _OPTIONS,
            "connect_timeout": 5,
            "target_session_attrs": "read-write",
            "prepare_threshold": 2,
            **_GONE,
        },
    )
    event.listen(engine, "do_connect", _connect)
    # A forked child must not talk on its parent's sockets; closing them would close the parent's.
    os.register_at_fork(after_in_child=lambda: engine.dispose(close=False))
    return engine


def _json_value(text: str | bytes) -> Any:  # noqa: ANN401  JSON values are any
    """A JSON value; of an integer that is too long to be read its digits, as a text.

    Nothing here writes one, and a row in which somebody else has must not keep all others from being read.
    """
    try:
        return json.loads(text)
    except ValueError:
        return json.loads(text, parse_int=_whole)


def _whole(digits: str) -> int | str:
    try:
        return int(digits)
    except ValueError:
        return digits


def _connect(dialect: Any, record: Any, arguments: Any, named: Any) -> HonestConnection:  # noqa: ANN401, ARG001  SQLAlchemy's event has no types
    return HonestConnection.connect(*arguments, **named)
