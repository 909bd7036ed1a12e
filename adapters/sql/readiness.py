"""Whether this process could do its work now."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Engine, exc, text

OLDEST_OUTBOX_SECONDS = 60


class Readiness:
    """Database, schema, queue, and whether the outbox is being emptied."""

    def __init__(self, engine: Engine, queue_answers: Callable[[], bool]) -> None:
        self._engine = engine
        self._queue_answers = queue_answers

    def __call__(self) -> dict[str, bool]:
        """Each part by name; it tells a stranger nothing but yes or no."""
        from adapters.sql.migrate import revisions  # noqa: PLC0415  alembic takes 0.2 s; most processes never ask

        found = {"database": False, "migrations": False, "outbox": False, "redis": self._queue_answers()}
        try:
            with self._engine.connect() as connection:
                found["database"] = True
                current, wanted = revisions(connection)
                found["migrations"] = current == wanted
                if found["migrations"]:
                    age = connection.scalar(
                        text(
                            "SELECT extract(epoch FROM clock_timestamp() - min(created_at)) FROM outbox"
                            " WHERE due_at <= clock_timestamp()"
                        )
                    )
                    found["outbox"] = age is None or age < OLDEST_OUTBOX_SECONDS
        except (exc.DBAPIError, exc.TimeoutError):
            return found
        return found
