"""What `governor doctor` looks at, check by check. A line is ok, warn (works, but not as it should) or fail."""

from __future__ import annotations

import os
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Final, Literal

from adapters.queue.examination import queue_facts
from adapters.sql.examination import DatabaseExamination, DatabaseFacts
from governor.bootstrap import Application
from governor.cli.examination_of_catching_up import stale_walks, unread_events
from governor.cli.examination_of_messages import silent_endpoints
from governor.cli.examination_of_processes import attending, living, missing
from governor.cli.up.data_folder import SECRET_FILES
from governor.domain.errors import GovernorError

OLDEST_POSTGRES: Final = 15
OLDEST_REDIS: Final = (6, 2)
CLOCK_WARN_SECONDS: Final = 1.0
CLOCK_FAIL_SECONDS: Final = 30.0


RUNS_WAIT = timedelta(minutes=1)
"""For how long a run may wait though none of its kind is under way: a runner that lives begins it within seconds."""


@dataclass(frozen=True)
class Line:
    """One result."""

    check: str
    state: Literal["ok", "warn", "fail"]
    says: str


def examine(app: Application, data: Path | None) -> list[Line]:
    """Every check in order; one that cannot be made is a failure, and the others are made all the same."""
    checks: dict[str, Callable[[], Iterator[Line]]] = {
        "versions": _versions,
        "settings": lambda: _settings(app),
        "database": lambda: _database(app),
        "queue": lambda: _queue(app),
        "processes": lambda: _processes(app),
        "provider": lambda: _provider(app),
        "catching up": lambda: _catching_up(app),
        "long work": lambda: _long_work(app),
        "messages": lambda: _messages(app),
        "web": _web,
        "secrets": lambda: _secrets(data, app.settings.audit_key_file),
    }
    lines: list[Line] = []
    for name, check in checks.items():
        try:
            lines += check()
        except GovernorError as error:
            lines.append(Line(name, "fail", f"{error.detail} ({error.code})"))
    return lines


def _versions() -> Iterator[Line]:
    names = ("flask", "gunicorn", "psycopg", "redis", "rq", "sqlalchemy", "stripe")
    yield Line("versions", "ok", ", ".join(f"{name} {version(name)}" for name in names))


def _settings(app: Application) -> Iterator[Line]:
    yield Line("settings", "ok", "complete; the provider key is a test key")
    if app.settings.dev_clock is not None:
        yield Line("settings", "warn", "GOVERNOR_DEV_CLOCK is set: time is what a file says")


def _database(app: Application) -> Iterator[Line]:
    before = _machine_clock()
    facts = DatabaseExamination(app.engine).facts()
    after = _machine_clock()
    major = facts.version // 10_000
    yield Line(
        "database",
        "ok" if major >= OLDEST_POSTGRES else "fail",
        f"PostgreSQL {major}.{facts.version % 10_000}",
    )
    for name in ("fsync", "synchronous_commit", "full_page_writes"):
        value = facts.settings[name]
        yield Line(
            "durability",
            "fail" if value == "off" else "ok",
            f"{name} is {value}" + (": a commit may be lost that was acknowledged" if value == "off" else ""),
        )
    fits = facts.revision == facts.wanted_revision
    yield Line(
        "migrations",
        "ok" if fits else "fail",
        f"at {facts.revision}"
        + ("" if fits else f", this code wants {facts.wanted_revision}: governor db upgrade"),
    )
    yield _role(facts)
    yield _clock(max((before - facts.now).total_seconds(), (facts.now - after).total_seconds(), 0.0))


def _role(facts: DatabaseFacts) -> Line:
    """The chain shows a row that was changed; better is a role that cannot change one."""
    if not facts.could_alter:
        return Line("role", "ok", f"{facts.role} can append to the audit trail, and change none of it")
    tables = ", ".join(facts.could_alter)
    return Line(
        "role", "warn", f"{facts.role} could change or delete rows of {tables}: see deploy/postgres_roles.sql"
    )


def _clock(offset: float) -> Line:
    """Deadlines of keys and leases are the database's; certificates and logs are this machine's."""
    state: Literal["ok", "warn", "fail"] = "ok" if offset <= CLOCK_WARN_SECONDS else "warn"
    state = "fail" if offset > CLOCK_FAIL_SECONDS else state
    return Line("clock", state, f"this machine and the database are at most {offset:.1f} s apart")


def _machine_clock() -> datetime:
    return datetime.now(UTC)  # noqa: TID251 - the machine's own clock is what is examined


def _queue(app: Application) -> Iterator[Line]:
    facts = queue_facts(app.settings.redis_url.get_secret_value())
    spoken = ".".join(map(str, facts.version))
    yield Line("queue", "ok" if facts.version >= OLDEST_REDIS else "fail", f"{facts.server}, Redis {spoken}")
    keeps = facts.eviction == "noeviction"
    yield Line("queue", "ok" if keeps else "warn", f"eviction policy {facts.eviction}" + ("" if keeps else ": jobs may vanish until the next sweep"))  # fmt: skip
    log = facts.append_only
    yield Line("queue", "ok" if log else "warn", "append-only log on" if log else "no append-only log: a restart forgets jobs until the next sweep")  # fmt: skip


def _processes(app: Application) -> Iterator[Line]:
    found = attending(app)
    absent = [*missing(found)]
    yield from (Line("processes", "warn", says) for says in absent)
    if not absent:
        yield Line("processes", "ok", living(found))


def _provider(app: Application) -> Iterator[Line]:
    account = app.change_environment.provider.read_account()
    yield Line("provider", "ok", f"account {account.id}, test mode")
    with app.store.reading() as reads:
        environments = reads.environments()
    for environment in environments:
        ours = environment.account == account.id
        says = f"environment {environment.name} is of account {environment.account}"
        yield Line("provider", "ok" if ours else "fail", says + ("" if ours else ": its refunds are not sent with this key"))  # fmt: skip
        if environment.stopped is not None:
            yield Line(
                "provider", "warn", f"environment {environment.name} is stopped: {environment.stopped}"
            )


def _catching_up(app: Application) -> Iterator[Line]:
    found = [*unread_events(app), *stale_walks(app)]
    yield from (Line("catching up", "warn", says) for says in found)
    if not found:
        yield Line("catching up", "ok", "every event was read, and the provider's lists are walked")


def _long_work(app: Application) -> Iterator[Line]:
    since = app.long_work.waits_since()
    if since is not None and app.store.now() - since > RUNS_WAIT:
        says = f"a run has waited since {since:%Y-%m-%d %H:%M} UTC to be begun; does `governor runner` run?"
        yield Line("long work", "warn", says)
    else:
        yield Line("long work", "ok", "no run waits for a runner")


def _messages(app: Application) -> Iterator[Line]:
    found = [*silent_endpoints(app)]
    yield from (Line("messages", "warn", says) for says in found)
    if not found:
        yield Line("messages", "ok", "every endpoint takes what it is told")


def _web() -> Iterator[Line]:
    """Gunicorn's own `gthread` is stopped by as many half-sent bodies as it has threads (RELIABILITY §0, 4)."""
    ours = str(import_module("governor.web_server").worker_class)
    given = shlex.split(os.environ.get("GUNICORN_CMD_ARGS", ""))
    replaced = [word for word in given if word.startswith(("-k", "--worker-class"))]
    if replaced:
        yield Line(
            "web",
            "fail",
            "GUNICORN_CMD_ARGS replaces the worker class: slow clients can stop the web process",
        )
    else:
        yield Line("web", "ok", f"worker class {ours}: slow clients cannot stop it")


def _secrets(data: Path | None, audit_key: Path | None) -> Iterator[Line]:
    if data is None:
        yield Line("secrets", "ok", "from the variables GOVERNOR_*")
    files = {name: data / name for name in SECRET_FILES} if data is not None else {}
    if audit_key is not None:
        files["GOVERNOR_AUDIT_KEY_FILE"] = audit_key
    for name, path in files.items():
        if path.exists():
            mode = path.stat().st_mode & 0o777
            private = not mode & 0o077
            yield Line("secrets", "ok" if private else "fail", f"{name} has mode {mode:04o}" + ("" if private else ": others can read it"))  # fmt: skip
