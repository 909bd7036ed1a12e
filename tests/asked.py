"""What is asked of the database while something is done."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy import Engine, event


@contextmanager
def counted(engine: Engine) -> Iterator[list[str]]:
    """What is asked of the database meanwhile."""
    said: list[str] = []

    def hear(_connection: object, _cursor: object, statement: str, *_others: object) -> None:
        said.append(statement)

    event.listen(engine, "before_cursor_execute", hear)
    try:
        yield said
    finally:
        event.remove(engine, "before_cursor_execute", hear)
