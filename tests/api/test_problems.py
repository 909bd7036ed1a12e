"""The registry of codes holds everything that anybody raises, and nothing that goes wrong leaks."""

import ast
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import structlog

from governor.api.app import ROUTES, create_app
from governor.api.denials import DETAILS
from governor.api.openapi import build_openapi
from governor.api.problems import PROBLEMS
from governor.domain.admission import Denial
from governor.domain.errors import Conflict, InvariantBroken, Unavailable
from tests.api.people import People, Person
from tests.api.wire import Got, InProcess
from tests.builders import World

RAISED = set(
    """Malformed Unauthenticated TooManyTries Forbidden NotFound Conflict Invalid PreconditionFailed PreconditionRequired
    Unavailable Refused GovernorError""".split()
)
# The command line and the console have answers of their own, which never travel as problems.
OTHER_SURFACES = ("governor/cli/", "governor/chaos/", "governor/console/")
CANARY = "sk_test_4eC39HqLyjWDarjtT1zdp7dc"


def _raised_codes(root: Path) -> dict[str, str]:
    """Code → file, for every error that is made with its code written out."""
    found: dict[str, str] = {}
    for folder in ("governor", "adapters", "workers"):
        for path in (root / folder).rglob("*.py"):
            if str(path.relative_to(root)).startswith(OTHER_SURFACES):
                continue
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in RAISED:
                    first = node.args[0] if node.args else None
                    if isinstance(first, ast.Constant) and isinstance(first.value, str):
                        found[first.value] = str(path.relative_to(root))
    return found


def test_every_code_that_is_raised_is_registered(project_root: Path) -> None:
    raised = _raised_codes(project_root)
    assert len(raised) > 30, "the search for raised codes finds nothing"
    assert {code: file for code, file in raised.items() if code not in PROBLEMS} == {}


def test_every_registered_code_is_raised_somewhere_or_made_by_this_surface(project_root: Path) -> None:
    here = {"method_not_allowed", "bad_request", "invariant_broken", "internal_error"}
    denials = {denial.value for denial in Denial}
    assert set(PROBLEMS) - set(_raised_codes(project_root)) - here - denials == set()


def test_every_denial_has_a_title_and_a_sentence_and_is_a_403() -> None:
    for denial in Denial:
        assert PROBLEMS[denial].status == 403
        assert DETAILS[denial].endswith(".")
    assert len({problem.title for problem in PROBLEMS.values()}) >= len(PROBLEMS) - 1


def test_every_registered_code_is_in_the_openapi() -> None:
    document = build_openapi(ROUTES)
    listed = document["components"]["schemas"]["Problem"]["x-codes"]
    assert {code: (one["status"], one["title"]) for code, one in listed.items()} == {
        code: (one.status, one.title) for code, one in PROBLEMS.items()
    }
    on_routes = {
        code
        for item in document["paths"].values()
        for operation in item.values()
        for response in operation["responses"].values()
        for code in response.get("x-codes", ())
    }
    # Founding, examining and ringing happen elsewhere so far, people come by the console, and who sends webhooks reads
    # no document of ours; the codes are known here all the same.
    elsewhere = (
        "account_changed environment_exists environment_not_found queue_unavailable"
        " webhook_unreadable webhook_signature event_not_recorded"
        " session_over sign_in_failed code_required too_many_tries own_membership person_not_found login_taken"
        " membership_exists person_disabled confirmation_needed not_taken_back stand_in_exists stand_in_not_found session_not_found totp_on totp_not_begun"
        " freeze_not_found run_not_found run_file_not_found run_ended too_many_runs result_too_large"
        " identity_refused identity_unknown identity_taken identity_provider_unavailable"
    )
    assert set(PROBLEMS) - on_routes == set(elsewhere.split())


class Failing:
    """A use case that fails in one way, whatever is asked."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self, *_asked: object) -> Any:
        raise self.error


def _canceling(people: People, world: World, error: Exception) -> Got:
    broken = replace(world.app, cancel_refund=Failing(error))  # type: ignore[arg-type]  # it only has to fail
    app = create_app(broken, trusted_hosts=["localhost"], cursor_key=b"k")
    return Person(InProcess(app), people.agent.key).post("/refund-requests/rr_x/cancel", {})


def test_an_unexpected_error_says_nothing_of_itself(people: People, world: World) -> None:
    with structlog.testing.capture_logs() as logged:
        got = _canceling(people, world, RuntimeError(f"cannot use {CANARY}"))
    assert (got.status, got.code, got.json["retryable"]) == (500, "internal_error", True)
    assert b"RuntimeError" not in got.body
    assert CANARY not in repr((got.body, logged))
    (line,) = [one for one in logged if one["event"] == "internal_error"]
    assert line["error"] == "RuntimeError"
    assert any(frame.startswith("__call__") for frame in line["where"])


def test_a_broken_promise_is_named_in_the_log_only(people: People, world: World) -> None:
    with structlog.testing.capture_logs() as logged:
        got = _canceling(people, world, InvariantBroken("counter_negative", f"counter of {CANARY}"))
    assert (got.status, got.code, got.json["retryable"]) == (500, "invariant_broken", False)
    assert b"counter" not in got.body
    assert CANARY not in repr((got.body, logged))
    assert [one["promise"] for one in logged if one["event"] == "invariant_broken"] == ["counter_negative"]


def test_what_could_not_be_recorded_says_exactly_that_and_when_to_come_back(
    people: People, world: World
) -> None:
    got = _canceling(people, world, Unavailable("decision_not_recorded", "Try again.", retry_after_seconds=7))
    assert (got.status, got.code, got.json["retryable"]) == (503, "decision_not_recorded", True)
    assert (got.headers["Retry-After"], got.json["retry_after_seconds"]) == ("7", 7)


def test_a_look_that_cannot_reach_the_database_says_so(people: People, world: World) -> None:
    """It decides nothing, so there was nothing to record."""
    away = replace(world.app, authenticate=Failing(Unavailable("decision_not_recorded", "Away.")))  # type: ignore[arg-type]  # it only has to fail
    app = create_app(away, trusted_hosts=["localhost"], cursor_key=b"k")
    got = Person(InProcess(app), people.agent.key).get("/limits")
    assert (got.status, got.code, got.json["retryable"]) == (503, "database_unavailable", True)
    assert got.headers["Retry-After"] == "1"


def test_a_key_in_flight_says_when_to_come_back(people: People, world: World) -> None:
    got = _canceling(people, world, Conflict("idempotency_in_flight", "The first is still running."))
    assert (got.status, got.code, got.json["retryable"], got.headers["Retry-After"]) == (
        409,
        "idempotency_in_flight",
        True,
        "1",
    )


def test_a_code_that_nobody_registered_is_an_internal_error(people: People, world: World) -> None:
    with structlog.testing.capture_logs() as logged:
        got = _canceling(people, world, Conflict("unheard_of", "A new kind of conflict."))
    assert (got.status, got.code) == (500, "internal_error")
    assert [one["error"] for one in logged if one["event"] == "internal_error"] == ["KeyError"]


@pytest.mark.parametrize(
    ("method", "path", "status", "code", "allow"),
    [
        ("GET", "/nowhere", 404, "not_found", None),
        ("GET", "/limits/", 404, "not_found", None),
        ("PUT", "/refund-requests", 405, "method_not_allowed", "GET, HEAD, POST"),
        ("DELETE", "/refund-requests", 405, "method_not_allowed", "GET, HEAD, POST"),
        ("OPTIONS", "/refund-requests", 405, "method_not_allowed", "GET, HEAD, POST"),
        ("TRACE", "/refund-requests", 405, "method_not_allowed", "GET, HEAD, POST"),
        ("FOO", "/refund-requests", 405, "method_not_allowed", "GET, HEAD, POST"),
        ("HEAD", "/refund-batches", 405, None, "POST"),
    ],
)
def test_what_is_not_routed_is_a_problem_too(
    people: People, method: str, path: str, status: int, code: str | None, allow: str | None
) -> None:
    got = people.agent.send(method, path)
    assert (got.status, got.headers.get("Allow")) == (status, allow)
    assert got.headers["Content-Type"] == "application/problem+json"
    if method != "HEAD":
        assert (got.code, got.json["instance"]) == (code, f"/api/v1{path}")


def test_the_log_of_a_call_carries_its_request_id_and_trace(people: People) -> None:
    trace = "0af7651916cd43dd8448eb211c80319c"
    got = people.agent.send("GET", "/environment", traceparent=f"00-{trace}-b7ad6b7169203331-01")
    bound = structlog.contextvars.get_contextvars()
    assert (bound["request_id"], bound["trace_id"]) == (got.headers["Request-Id"], trace)
    people.agent.send("GET", "/environment", traceparent="nonsense")
    assert "trace_id" not in structlog.contextvars.get_contextvars()
