"""Record fixtures/cassettes/ again: on the twin with `python -m tests.stripe.record`, on Stripe with `make record`.

Every cassette is one call of our own adapter, or one read of several. Its first line says where it was recorded,
by what the answers themselves say: the twin never leaves out its header `Stripe-Sandbox`. On Stripe the payments are
made with test cards, in the account behind the test key in GOVERNOR_RECORD_KEY; any other key is refused. What Stripe
cannot be told to do stays as the twin does it. Keys, addresses and people are taken out before anything is written.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import vcr
from vcr.persisters.filesystem import FilesystemPersister
from vcr.request import Request

from governor.domain.errors import GovernorError
from governor.ports.provider import RefundOrder
from tests.stripe.bodies import order
from tests.stripe.filtered import without_address, without_secrets
from tests.stripe.places import CALL_SECONDS, TEST_KEY, CannotBeOrderedError, OnStripe, OnTwin, Place
from tests.stripe.played import PATCHES
from tests.stripe.readings import READINGS
from tests.stripe.scenarios import SCENARIOS
from tests.twin import Twin

CASSETTES = Path(__file__).resolve().parent.parent.parent / "fixtures" / "cassettes"
ON_TWIN = "# Recorded on the provider twin (adapters/sandbox), not on Stripe. Again: python -m tests.stripe.record\n"
ON_STRIPE = "# Recorded on Stripe itself, in test mode. Again: make record\n"
KEY_VARIABLE = "GOVERNOR_RECORD_KEY"
_TWIN_SAYS = "Stripe-Sandbox:"


class OriginPersister(FilesystemPersister):  # type: ignore[misc]  # vcrpy has no types
    """Writes before each cassette's content where it comes from."""

    @staticmethod
    def save_cassette(cassette_path: str, cassette_dict: Any, serializer: Any) -> None:
        """Write the file, its origin first."""
        FilesystemPersister.save_cassette(cassette_path, cassette_dict, serializer)
        path = Path(cassette_path)
        text = path.read_text(encoding="utf-8")
        path.write_text((ON_TWIN if _TWIN_SAYS in text else ON_STRIPE) + text, encoding="utf-8")


def library(record_mode: str, folder: Path = CASSETTES) -> Any:
    """vcrpy as recording and playing use it: a call is the same only if every byte of its body is."""
    cassettes = vcr.VCR(
        cassette_library_dir=str(folder),
        record_mode=record_mode,
        match_on=["method", "path", "query", "word_for_word"],
        filter_headers=[("authorization", "Bearer FILTERED")],
        before_record_request=without_address,
        before_record_response=without_secrets,
        custom_patches=PATCHES,
        path_transformer=vcr.VCR.ensure_suffix(".yaml"),
    )
    cassettes.register_matcher("word_for_word", _is_word_for_word)
    cassettes.register_persister(OriginPersister)
    return cassettes


def _is_word_for_word(ours: Request, recorded: Request) -> None:
    names = ("idempotency-key", "stripe-version", "content-type")
    assert (ours.body, *(_header(ours, name) for name in names)) == (
        recorded.body,
        *(_header(recorded, name) for name in names),
    )


def _header(request: Request, name: str) -> object:
    value = {key.lower(): value for key, value in request.headers.items()}.get(name)
    return value[0] if isinstance(value, list) else value


def record(place: Place, name: str, folder: Path) -> str | None:
    """Arrange, call, write the cassette; says what is wrong when the call does not prove what it should.

    Raises CannotBeOrderedError when the place cannot be brought into the situation.
    """
    if name in READINGS:
        reading = READINGS[name]
        payment = reading.arrange(place)
        with library("once", folder).use_cassette(name):
            got, expected = reading.ask(place.provider(), payment), reading.answer
    else:
        scenario = SCENARIOS[name]
        prepared = scenario.arrange(place)
        with library("once", folder).use_cassette(name):
            reply = place.provider().create_refund(
                prepared, first=scenario.first, deadline_seconds=CALL_SECONDS
            )
        got, expected = (reply.outcome, reply.reason), (scenario.outcome, scenario.reason)
    return None if got == expected else f"{got}, and not {expected}"


def recorded_order(name: str, folder: Path = CASSETTES) -> RefundOrder:
    """The order that the recorded call sends."""
    text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
    found = re.search(r"payment_intent=(pi_\w+).*governor_refund_request\]=(rr_\w+)", text)
    assert found is not None, name
    ours = found[2]
    return replace(order(payment=found[1]), request_id=ours, idempotency_key=f"governor-{ours}")


def recorded_payment(name: str, folder: Path = CASSETTES) -> str:
    """The payment that the recorded reads are about; any, where they are about none."""
    text = (folder / f"{name}.yaml").read_text(encoding="utf-8")
    found = re.search(r"uri: .*(?:payment_intents/|payment_intent=)(pi_\w+)", text)
    return found[1] if found else "pi_nobody"


def record_all(new_place: Callable[[], Place], folder: Path) -> tuple[list[str], list[str]]:
    """Record whatever the place can be brought to do; returns what stays as it was, and what differs.

    A cassette is replaced only by a call that proves what it should.
    """
    folder.mkdir(parents=True, exist_ok=True)
    stays, differs = [], []
    with tempfile.TemporaryDirectory() as workplace:
        for name in (*SCENARIOS, *READINGS):
            try:
                wrong = record(new_place(), name, Path(workplace))
            except CannotBeOrderedError:
                stays.append(name)
                continue
            if wrong is not None:
                differs.append(f"{name}: {wrong}")
                continue
            text = (Path(workplace) / f"{name}.yaml").read_text(encoding="utf-8")
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return stays, differs


def main(arguments: Sequence[str]) -> int:
    """0 when everything that could be recorded proves what it should, 1 when something does not, 2 for a refusal."""
    parser = argparse.ArgumentParser(prog="record")
    parser.add_argument(
        "--stripe", action="store_true", help=f"on the account behind the test key in {KEY_VARIABLE}"
    )
    parser.add_argument("--base-url", help="instead of Stripe's own address, to try this out")
    parser.add_argument("--into", type=Path, default=CASSETTES, help="folder of the cassettes")
    chosen = parser.parse_args(arguments)
    if not chosen.stripe:
        with Twin() as twin:
            return _told(*record_all(partial(OnTwin, twin), chosen.into))
    key = os.environ.get(KEY_VARIABLE, "")
    if not TEST_KEY.fullmatch(key):
        sys.stderr.write(f"record: {KEY_VARIABLE} must hold a test key, sk_test_… or rk_test_…\n")
        return 2
    try:
        return _told(*record_all(partial(OnStripe, key, chosen.base_url), chosen.into))
    except GovernorError as refusal:
        sys.stderr.write(f"record: {refusal.detail} ({refusal.code})\n")
        return 2


def _told(stays: Sequence[str], differs: Sequence[str]) -> int:
    for name in stays:
        sys.stdout.write(f"stays as the twin does it, for nobody else can be told to: {name}\n")
    for words in differs:
        sys.stdout.write(f"DIFFERS, and was not replaced: {words}\n")
    recorded = len(SCENARIOS) + len(READINGS) - len(stays) - len(differs)
    sys.stdout.write(f"recorded {recorded}, stays {len(stays)}, differs {len(differs)}\n")
    return 1 if differs else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
