"""A world with everything that sends refunds: database, queue, the provider twin, a relay and workers."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy import TextClause, text

from adapters.embedded.valkey import EmbeddedRedis
from governor.bench.measure import BrokenRunError
from governor.bench.processes import background, twin
from governor.bench.provider_side import make_payments
from governor.bench.world import World, as_variables, database, found, settings
from governor.bootstrap import Application, build
from governor.domain.admission import Ask
from governor.usecases.callers import Caller
from governor.usecases.replay import Answer
from governor.usecases.request_refund import BatchLine

WORKERS = 2
PATIENCE_SECONDS = 120.0
LOOK_SECONDS = 0.05
_BATCH = 200

_LEFT = text("SELECT count(*) FROM refund_requests WHERE environment = :env AND state <> 'succeeded'")
_SPAN = text("""
    SELECT extract(epoch FROM max(updated_at) - min(first_sent_at)) FROM refund_requests
    WHERE environment = :env AND operation_key LIKE :keys""")


@dataclass
class Dispatching:
    """An application beside the running processes."""

    app: Application
    provider_url: str
    folder: Path
    variables: dict[str, str]

    def environment(self, name: str, payments: int, rate: int) -> tuple[World, Caller]:
        """An environment of that rate a second with payments that the twin knows, and who asks in it."""
        ids = make_payments(self.provider_url, payments)
        world = found(self.app, environment=name, payments=ids, rate=rate)
        return world, self.app.authenticate(world.agent_key)

    def admit(self, caller: Caller, payments: Sequence[str], amount: int, word: str) -> None:
        """One refund of each payment, admitted and queued."""
        lines = [
            BatchLine(f"{word}-{n:06d}", Ask(payment, amount, "usd", None, None, None, None), None)
            for n, payment in enumerate(payments)
        ]
        for first in range(0, len(lines), _BATCH):
            for answer in self.app.request_refund.batch(caller, lines[first : first + _BATCH]):
                if not isinstance(answer, Answer) or answer.request.denial is not None:
                    raise BrokenRunError(f"not admitted: {answer}")

    def wait_until_settled(self, environment: str) -> None:
        """Until every refund of the environment has succeeded.

        Raises:
            BrokenRunError: they do not get there.
        """
        deadline = time.monotonic() + PATIENCE_SECONDS
        while left := self._ask(_LEFT, env=environment):
            if time.monotonic() > deadline:
                said = [log.read_text(encoding="utf-8")[-1500:] for log in self.folder.glob("*.log")]
                raise BrokenRunError(f"{left} refunds of {environment} did not settle: {said}")
            time.sleep(LOOK_SECONDS)

    def seconds_of(self, environment: str, word: str) -> float:
        """From the first claim of these refunds to the last one settled, by the database's clock."""
        return float(self._ask(_SPAN, env=environment, keys=f"{word}-%"))

    def _ask(self, statement: TextClause, **parameters: str) -> Any:  # noqa: ANN401  a count or seconds
        with self.app.engine.connect() as connection:
            return connection.execute(statement, parameters).scalar_one()

    @contextmanager
    def processes(self, *, workers: int = WORKERS) -> Iterator[None]:
        """A relay and that many workers, until they have stopped."""
        with ExitStack() as stack:
            for number in range(1, workers + 1):
                stack.enter_context(background("worker", self.folder, self.variables, number))
            stack.enter_context(background("relay", self.folder, self.variables))
            yield


@contextmanager
def dispatching(database_url: str | None = None, redis_url: str | None = None) -> Iterator[Dispatching]:
    """Everything but the relay and the workers, which `processes` starts."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="governor-bench-work-")))
        queue = redis_url or stack.enter_context(_queue(folder / "queue"))
        provider_url = stack.enter_context(twin(folder))
        url = stack.enter_context(database(database_url))
        made = settings(url, queue, provider_url=provider_url, database_pool=16)
        app = build(made)
        stack.callback(app.engine.dispose)
        yield Dispatching(app, provider_url, folder, as_variables(made))


@contextmanager
def _queue(folder: Path) -> Iterator[str]:
    server = EmbeddedRedis(folder)
    server.start()
    try:
        yield server.url
    finally:
        server.stop()
