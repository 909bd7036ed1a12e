"""The document says what the routes do. Every other test here holds the answers to it (tests/api/contract.py)."""

import re
from collections.abc import Iterator
from typing import Any

from flask import Flask
from jsonschema import Draft202012Validator

from governor.api.app import ROUTES
from governor.api.openapi import build_openapi
from governor.api.permissions import ALLOWED
from tests.api.people import People
from tests.api.wire import InProcess, Sent

DOCUMENT = build_openapi(ROUTES)


def _operations() -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in DOCUMENT["paths"].items():
        for method, operation in item.items():
            yield path, method, operation


def _references(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for member in value.values():
            yield from _references(member)
    elif isinstance(value, list):
        for element in value:
            yield from _references(element)


def test_the_document_is_served_without_a_key_as_it_was_built(app: Flask) -> None:
    got = InProcess(app)(Sent("GET", "/api/v1/openapi.json", (("Host", "localhost"),)))
    assert (got.status, got.json) == (200, DOCUMENT)
    assert DOCUMENT["openapi"].startswith("3.1")


def test_every_reference_leads_somewhere() -> None:
    found = set(_references(DOCUMENT))
    assert len(found) > 20
    for reference in found:
        place: Any = DOCUMENT
        for step in reference.removeprefix("#/").split("/"):
            place = place[step]
        assert place


def test_every_schema_is_one() -> None:
    for schema in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_every_permitted_route_is_documented_with_its_roles() -> None:
    documented = {
        (method.upper(), re.sub(r"\{(\w+)\}", r"<\1>", path)): set(operation["x-roles"])
        for path, method, operation in _operations()
    }
    assert documented == {route: set(roles) for route, roles in ALLOWED.items()}


def test_operations_have_unique_ids_and_their_path_parameters() -> None:
    ids = [operation["operationId"] for _, _, operation in _operations()]
    assert len(ids) == len(set(ids))
    for path, _, operation in _operations():
        named = {one["name"] for one in operation["parameters"] if one.get("in") == "path"}
        assert named == set(re.findall(r"\{(\w+)\}", path))


def test_money_and_decisions_ask_for_a_key_and_changes_for_a_revision() -> None:
    keyed, conditional = set(), set()
    for path, method, operation in _operations():
        wanted = set(_references(operation["parameters"]))
        if "#/components/parameters/IdempotencyKey" in wanted:
            keyed.add(f"{method} {path.removeprefix('/api/v1')}")
        if "#/components/parameters/IfMatch" in wanted:
            conditional.add(f"{method} {path.removeprefix('/api/v1')}")
    assert keyed == {
        "post /refund-requests",
        "post /refund-requests/{request_id}/cancel",
        "post /holds/{hold_id}/decisions",
        "post /refund-requests/{request_id}/answers",
        "post /refund-requests/{request_id}/nudge",
        "post /unknown/{request_id}/resolutions",
        "post /limits",
        "post /rules",
        "post /limits/{limit_id}/changes/{change_id}/confirm",
        "post /limits/{limit_id}/changes/{change_id}/withdraw",
        "post /credentials",
        "post /credentials/{credential_id}/rotate",
        "post /environment/freeze",
        "post /environment/unfreeze",
        "post /webhook-endpoints",
        "post /webhook-endpoints/{endpoint_id}/rotate",
        "post /webhook-endpoints/{endpoint_id}/test",
        "post /webhook-endpoints/{endpoint_id}/deliveries/{message_id}/replay",
    }
    assert conditional == {
        "put /limits/{limit_id}",
        "delete /limits/{limit_id}",
        "put /rules/{rule_id}",
        "delete /rules/{rule_id}",
        "put /environment",
    }


def test_every_answer_that_is_no_success_is_a_problem_with_a_request_id() -> None:
    for _, _, operation in _operations():
        statuses = set(operation["responses"])
        assert statuses >= {"401", "403", "404", "405", "406", "500"}
        for status, response in operation["responses"].items():
            assert "Request-Id" in response["headers"]
            expected = "application/json" if status < "300" else "application/problem+json"
            media = [*response["content"]]
            exported = media in (["application/json", "text/csv"], ["application/x-ndjson", "text/csv"])
            assert media == [expected] or (exported and status < "300")


def test_inputs_refuse_unknown_fields_and_outputs_are_open() -> None:
    for name, schema in DOCUMENT["components"]["schemas"].items():
        if name.endswith("In"):
            assert schema["additionalProperties"] is False
        else:
            assert schema.get("additionalProperties", True) is True


def test_a_decision_offers_what_is_built_and_no_more(people: People) -> None:
    assert DOCUMENT["components"]["schemas"]["Choice"]["enum"] == [
        "approve",
        "approve_less",
        "return",
        "reject",
    ]
    said = {"decision": "snooze", "digest": "sha256:" + "0" * 64, "version": 1, "until": 5}
    got = people.approver.post("/holds/hold_x/decisions", said)
    assert {one["pointer"] for one in got.json["errors"]} == {"/decision", "/until"}
