"""Record fixtures/cassettes/ again: `python -m tests.stripe.record`.

Every cassette is one refund call of our own adapter to the provider twin. Nothing here reaches Stripe; the
first line of each file says so, and so does the header `Stripe-Sandbox` in each answer. The key is filtered
before anything is written, and the address is replaced by one that does not exist.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import vcr
from vcr.persisters.filesystem import FilesystemPersister
from vcr.request import Request

from governor.domain.outcome import Reply
from tests.stripe.bodies import provider_at
from tests.stripe.played import PATCHES
from tests.stripe.scenarios import SCENARIOS, Scenario
from tests.twin import Twin

CASSETTES = Path(__file__).resolve().parent.parent.parent / "fixtures" / "cassettes"
ADDRESS = "http://twin.invalid"
WHERE = "# Recorded on the provider twin (adapters/sandbox), not on Stripe. Again: python -m tests.stripe.record\n"


class TwinPersister(FilesystemPersister):  # type: ignore[misc]  # vcrpy has no types
    """Writes beside each cassette's content where it comes from."""

    @staticmethod
    def save_cassette(cassette_path: str, cassette_dict: Any, serializer: Any) -> None:
        """Write the file, its origin first."""
        FilesystemPersister.save_cassette(cassette_path, cassette_dict, serializer)
        path = Path(cassette_path)
        path.write_text(WHERE + path.read_text(encoding="utf-8"), encoding="utf-8")


def library(record_mode: str) -> Any:
    """vcrpy as recording and playing use it: a call is the same only if every byte of its body is."""
    cassettes = vcr.VCR(
        cassette_library_dir=str(CASSETTES),
        record_mode=record_mode,
        match_on=["method", "path", "query", "word_for_word"],
        filter_headers=[("authorization", "Bearer FILTERED")],
        before_record_request=_without_address,
        before_record_response=_without_target,
        custom_patches=PATCHES,
        path_transformer=vcr.VCR.ensure_suffix(".yaml"),
    )
    cassettes.register_matcher("word_for_word", _is_word_for_word)
    cassettes.register_persister(TwinPersister)
    return cassettes


def _without_address(request: Request) -> Request:
    parts = urlsplit(request.uri)
    request.uri = f"{ADDRESS}{parts.path}" + (f"?{parts.query}" if parts.query else "")
    return request


def _without_target(response: dict[str, Any]) -> dict[str, Any]:
    """A redirect names an address too."""
    headers = response["headers"]
    if "Location" in headers:
        headers["Location"] = [f"{ADDRESS}{urlsplit(target).path}" for target in headers["Location"]]
    return response


def _is_word_for_word(ours: Request, recorded: Request) -> None:
    names = ("idempotency-key", "stripe-version", "content-type")
    assert (ours.body, *(_header(ours, name) for name in names)) == (
        recorded.body,
        *(_header(recorded, name) for name in names),
    )


def _header(request: Request, name: str) -> object:
    value = {key.lower(): value for key, value in request.headers.items()}.get(name)
    return value[0] if isinstance(value, list) else value


def record(twin: Twin, name: str, scenario: Scenario) -> Reply:
    """Arrange, send, write the cassette; what it proved is returned."""
    twin.reset()
    order = scenario.arrange(twin)
    (CASSETTES / f"{name}.yaml").unlink(missing_ok=True)
    with library("once").use_cassette(name):
        return provider_at(twin.url).create_refund(order, first=scenario.first, deadline_seconds=5)


def payment_of(name: str) -> str:
    """The payment that the recorded call refunds."""
    found = re.search(r"payment_intent=(pi_\w+)", (CASSETTES / f"{name}.yaml").read_text(encoding="utf-8"))
    assert found is not None, name
    return found[1]


def main() -> None:
    """Record them all; stops at the first that does not prove what it should."""
    CASSETTES.mkdir(parents=True, exist_ok=True)
    with Twin() as twin:
        for name, scenario in SCENARIOS.items():
            reply = record(twin, name, scenario)
            assert (reply.outcome, reply.reason) == (scenario.outcome, scenario.reason), (name, reply)


if __name__ == "__main__":
    main()
