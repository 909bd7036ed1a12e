"""Stripe's published schema as a judge of answers: OpenAPI 3.0 made into JSON Schema."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

PROJECT = Path(__file__).resolve().parents[2]
SHARED = Path(os.environ.get("GOVERNOR_SHARED", PROJECT.parent / "shared"))
SPECIFICATION = SHARED / "stripe" / "openapi-refunds.json"

_NO_SCHEMA = f"NOT CHECKED: {SPECIFICATION} is missing; set GOVERNOR_SHARED to the folder that has stripe/"


def check(document: Any) -> None:
    """Judges an answer by its ``object``, lists by their rows, errors as errors.

    Objects outside the published subset (account, balance, disputes, endpoints) are not judged. Where the
    schema is not at hand nothing is, and ``test_schema`` says so.
    """
    if not SPECIFICATION.exists():
        return
    if "error" in document:
        _judge("error", document)
    elif document.get("object") == "list":
        for row in document["data"]:
            check(row)
    elif document.get("object") in _specification()["components"]["schemas"]:
        _judge(document["object"], document)
        _check_names(document)


def check_response(path: str, method: str, document: Any) -> None:
    """Judges a success by the schema that the specification gives for this path and method."""
    operation = _specification()["paths"][path][method]
    schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    _validator(json.dumps(schema)).validate(document)


def need() -> None:
    """Skips the test, loudly, where the schema is not at hand."""
    if not SPECIFICATION.exists():
        pytest.skip(_NO_SCHEMA)


@cache
def _specification() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(SPECIFICATION.read_text(encoding="utf-8"))
    return found


@cache
def _validator(schema: str) -> Draft202012Validator:
    components = {
        name: _translated(found) for name, found in _specification()["components"]["schemas"].items()
    }
    return Draft202012Validator({**_translated(json.loads(schema)), "components": {"schemas": components}})


def _judge(name: str, document: Any) -> None:
    _validator(json.dumps({"$ref": f"#/components/schemas/{name}"})).validate(document)


def _check_names(document: dict[str, Any]) -> None:
    """The schema does not forbid other names; we do, so that the twin invents no field."""
    known = _specification()["components"]["schemas"][document["object"]]["properties"]
    invented = set(document) - set(known)
    assert not invented, f"{document['object']} has fields that Stripe does not: {sorted(invented)}"


def _translated(schema: Any) -> Any:
    """OpenAPI's ``nullable``, Stripe's open enums and its expandable ids, in words of JSON Schema."""
    if isinstance(schema, list):
        return [_translated(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {name: _translated(value) for name, value in schema.items() if name not in {"nullable", "format"}}
    if plain.get("x-openEnum") or None in plain.get("enum", []):
        plain.pop("enum", None)
    choices = [plain]
    judged = _specification()["components"]["schemas"].keys()
    choices += [
        {"$ref": f"#/components/schemas/{name}"} for name in schema.get("x-expandsTo", []) if name in judged
    ]
    if schema.get("nullable"):
        choices.append({"type": "null"})
    return plain if len(choices) == 1 else {"anyOf": choices}
