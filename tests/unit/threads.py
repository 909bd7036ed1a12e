"""Calls in threads of their own that a test can give up: a lost wake-up fails it and does not hang it."""

from collections.abc import Callable
from concurrent.futures import Future
from threading import Thread
from typing import ParamSpec, TypeVar

Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def started(
    call: Callable[Arguments, Result], *args: Arguments.args, **kwargs: Arguments.kwargs
) -> Future[Result]:
    """What the call, which begins now, will come to."""
    future: Future[Result] = Future()

    def run() -> None:
        try:
            future.set_result(call(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001  it is raised to whoever asks the future
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    return future
