"""One twin for the session, emptied before each test, and clients whose every answer is judged."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import requests
import stripe

from tests.sandbox import schema
from tests.stack import PATIENCE_SECONDS
from tests.twin import Twin

MakeClient = Callable[..., stripe.StripeClient]


@pytest.fixture(scope="session")
def running_twin() -> Iterator[Twin]:
    with Twin() as twin:
        yield twin


@pytest.fixture
def twin(running_twin: Twin) -> Twin:
    running_twin.reset()
    return running_twin


@pytest.fixture(autouse=True)
def _no_telemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK would write a file below the home folder."""
    monkeypatch.setattr(stripe, "enable_telemetry", False)


def _judged(response: requests.Response, **_rest: Any) -> None:
    schema.check(response.json())


@pytest.fixture
def make_client(twin: Twin) -> Iterator[MakeClient]:
    """``make_client(key, judged=…, timeout=…)``: the real SDK without retries. Faulty answers are not judged."""
    with ExitStack() as open_sessions:

        def make(
            key: str = "sk_test_anything",
            *,
            judged: bool = True,
            timeout: float = PATIENCE_SECONDS,
            **options: Any,
        ) -> stripe.StripeClient:
            session = open_sessions.enter_context(requests.Session())
            session.trust_env = False
            session.max_redirects = 0
            if judged:
                session.hooks["response"].append(_judged)
            return stripe.StripeClient(
                key,
                base_addresses={"api": twin.url},
                max_network_retries=0,
                http_client=stripe.RequestsClient(timeout=timeout, session=session),
                **options,
            )

        yield make


@pytest.fixture
def client(make_client: MakeClient) -> stripe.StripeClient:
    return make_client()


@pytest.fixture
def faulted(make_client: MakeClient) -> stripe.StripeClient:
    """A client whose answers may be lies."""
    return make_client(judged=False)
