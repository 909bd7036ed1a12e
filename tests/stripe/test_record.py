"""Recording on an account: the whole way, with the twin in Stripe's place. Nobody here has an account at Stripe."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.stack import PATIENCE_SECONDS
from tests.stripe.bodies import provider_at
from tests.stripe.filtered import ADDRESS, without_secrets
from tests.stripe.readings import READINGS
from tests.stripe.record import (
    CASSETTES,
    KEY_VARIABLE,
    ON_STRIPE,
    ON_TWIN,
    OriginPersister,
    library,
    main,
    recorded_order,
    recorded_payment,
)
from tests.stripe.scenarios import SCENARIOS
from tests.stripe.test_cassettes import SECRET
from tests.twin import Twin

ORDERED = {
    name
    for name in SCENARIOS
    if re.fullmatch(r"unknown_(?!replay|identity)\w+|not_executed_\w+|accepted_(unknown|null)_status", name)
}
"""What only the twin can be told to do."""


@pytest.fixture(scope="module")
def twin() -> Iterator[Twin]:
    with Twin() as running:
        yield running


def test_an_account_is_recorded_as_far_as_it_can_be_told_what_to_do(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "sk_test_RecordingOf1")
    assert main(["--stripe", "--base-url", twin.url, "--into", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert set(re.findall(r"for nobody else can be told to: (\w+)", said)) == ORDERED
    recorded = {path.stem for path in tmp_path.iterdir()}
    assert recorded == {*SCENARIOS, *READINGS} - ORDERED
    for name in recorded:
        text = (tmp_path / f"{name}.yaml").read_text(encoding="utf-8")
        assert text.startswith(ON_TWIN), "where it was recorded is said by the answers, not by who asked"
        assert SECRET.findall(text.replace("sk_test_***", "")) == []
        _plays(name, tmp_path)


def _plays(name: str, folder: Path) -> None:
    """What was recorded there proves, played, what it should."""
    with library("none", folder).use_cassette(name) as cassette:
        if name in READINGS:
            reading = READINGS[name]
            assert reading.ask(provider_at(ADDRESS), recorded_payment(name, folder)) == reading.answer
        else:
            scenario = SCENARIOS[name]
            sent = recorded_order(name, folder)
            answer = provider_at(ADDRESS).create_refund(
                sent, first=scenario.first, deadline_seconds=PATIENCE_SECONDS
            )
            assert (answer.outcome, answer.reason) == (scenario.outcome, scenario.reason)
    assert cassette.play_count == len(cassette)


def test_it_can_be_recorded_twice_for_every_recording_has_a_key_of_its_own(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "rk_test_RecordingOf2")
    command = ["--stripe", "--base-url", twin.url, "--into", str(tmp_path)]
    assert main(command) == 0
    before = recorded_order("accepted_succeeded", tmp_path)
    assert main(command) == 0
    assert recorded_order("accepted_succeeded", tmp_path).idempotency_key != before.idempotency_key


@pytest.mark.parametrize(
    "key", ["", "sk_live_" + "abc", "pk_test_abc", "sk_test_", " sk_test_abc", "sk_test_abc\n"]
)
def test_any_other_key_is_refused_before_anything_is_asked(
    key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, key)
    assert main(["--stripe", "--base-url", "http://127.0.0.1:1", "--into", str(tmp_path / "new")]) == 2
    said = capsys.readouterr()
    assert KEY_VARIABLE in said.err
    assert not key.strip() or key.strip() not in said.out + said.err.replace("sk_test_…", "")
    assert not (tmp_path / "new").exists()


def test_an_account_that_does_not_answer_is_a_refusal_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "sk_test_RecordingOf3")
    assert main(["--stripe", "--base-url", "http://127.0.0.1:1", "--into", str(tmp_path)]) == 2
    assert "payment_facts_unavailable" in capsys.readouterr().err


def test_a_call_that_proves_something_else_replaces_nothing_and_is_told(
    twin: Twin, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(KEY_VARIABLE, "sk_test_RecordingOf4")
    twin.fault("error_500_before", path="/v1/refunds", method="POST")
    try:
        assert main(["--stripe", "--base-url", twin.url, "--into", str(tmp_path)]) == 1
    finally:
        twin.forget_faults()
    assert "DIFFERS, and was not replaced: accepted_succeeded" in capsys.readouterr().out
    assert not (tmp_path / "accepted_succeeded.yaml").exists()


def test_what_is_nobodys_business_is_not_written() -> None:
    shown: dict[str, Any] = {
        "id": "pi_1",
        "object": "payment_intent",
        "client_secret": "pi_1_" + "secret_abc",
        "receipt_email": "ada@example.com",
        "latest_charge": {
            "object": "charge",
            "billing_details": {"email": "ada@example.com", "name": "Ada"},
            "receipt_url": "https://pay.stripe.com/receipts/abc",
            "amount": 700,
        },
    }
    body = json.dumps(shown).encode()
    headers = {
        "Content-Length": [str(len(body))],
        "Set-Cookie": ["session=abc"],
        "Request-Id": ["req_1"],
        "Server": ["nginx"],
    }
    written = without_secrets({"status": {"code": 200}, "headers": headers, "body": {"string": body}})
    kept = json.loads(written["body"]["string"])
    charge = {"object": "charge", "amount": 700}
    assert kept == {"id": "pi_1", "object": "payment_intent", "latest_charge": charge}
    assert written["headers"] == {
        "Content-Length": [str(len(written["body"]["string"]))],
        "Request-Id": ["req_1"],
    }


def test_of_an_account_and_its_balance_only_what_we_read_is_written() -> None:
    account = {"id": "acct_1", "object": "account", "email": "ada@example.com", "business_profile": {}}
    balance = {"object": "balance", "livemode": False, "available": [{"amount": 700}]}
    written = [json.loads(without_secrets(_answer(one))["body"]["string"]) for one in (account, balance)]
    assert written == [{"id": "acct_1", "object": "account"}, {"object": "balance", "livemode": False}]


def test_what_holds_no_secret_is_written_byte_for_byte() -> None:
    for body in (b'{"id" :"re_1","object":"refund"}', b"<html>", b""):
        assert without_secrets({"headers": {}, "body": {"string": body}})["body"]["string"] == body


def test_a_cassette_without_the_twins_header_says_that_it_comes_from_stripe(tmp_path: Path) -> None:
    class Plain:
        @staticmethod
        def serialize(cassette_dict: dict[str, object]) -> str:
            return f"{cassette_dict}\n"

    at = tmp_path / "some.yaml"
    OriginPersister.save_cassette(str(at), {"requests": [], "responses": []}, Plain)
    assert at.read_text(encoding="utf-8").startswith(ON_STRIPE)
    assert (CASSETTES / "read_payment.yaml").read_text(encoding="utf-8").startswith(ON_TWIN)


def _answer(shown: dict[str, Any]) -> dict[str, Any]:
    return {"headers": {}, "body": {"string": json.dumps(shown).encode()}}
