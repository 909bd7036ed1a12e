"""What is refused by target, host and headers alone."""

from typing import Any

import pytest
from werkzeug.datastructures import MIMEAccept
from werkzeug.http import parse_accept_header

from governor.domain.errors import GovernorError
from governor.http.request_line import check_accept, check_host, check_target, trace_id, wait_seconds

HOSTS = ["127.0.0.1", "governor.internal"]


def target(raw: str, path: str | None = None) -> dict[str, Any]:
    return {"RAW_URI": raw, "PATH_INFO": raw.partition("?")[0] if path is None else path}


@pytest.mark.parametrize(
    "raw", ["/", "/livez", "/api/v1/refund-requests/rr_01?expand=timeline", "/api/docs/start.js"]
)
def test_our_own_targets_pass(raw: str) -> None:
    check_target(target(raw))


@pytest.mark.parametrize(
    ("raw", "path", "code"),
    [
        ("//api/v1/limits", None, "not_found"),
        ("/api//v1/limits", None, "not_found"),
        ("/api/v1/limits/", None, "not_found"),
        ("/api/v1/limits;x", None, "not_found"),
        ("/api/v1/%6cimits", "/api/v1/limits", "not_found"),
        ("/api/v1/limits%00", "/api/v1/limits\x00", "not_found"),
        ("/api/v1/limits%ff", "/api/v1/limits\xff", "not_found"),
        ("/api/v1/../v1/limits", None, "not_found"),
        ("/api/v1/%2e%2e/limits", "/api/v1/../limits", "not_found"),
        ("/api/v1/limits/" + "x" * 201, None, "not_found"),
        ("/api/v1/limits", "/api/v1/credentials", "not_found"),
        ("http://evil.example/api/v1/limits", "/api/v1/limits", "target_malformed"),
        ("*", None, "target_malformed"),
        ("", "", "target_malformed"),
    ],
)
def test_every_other_spelling_of_a_target_is_refused(raw: str, path: str | None, code: str) -> None:
    with pytest.raises(GovernorError) as caught:
        check_target(target(raw, path))
    assert caught.value.code == code


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:8080", "governor.internal"])
def test_our_own_names_are_served(host: str) -> None:
    check_host({"HTTP_HOST": host}, HOSTS)


@pytest.mark.parametrize(
    "host", [None, "", "evil.example", "governor.internal.evil.example", "127.0.0.1@evil"]
)
def test_no_other_name_is_served(host: str | None) -> None:
    with pytest.raises(GovernorError) as caught:
        check_host({} if host is None else {"HTTP_HOST": host}, HOSTS)
    assert caught.value.code == "host_not_trusted"


@pytest.mark.parametrize("accept", ["", "*/*", "application/*", "application/json", "text/html, */*;q=0.1"])
def test_whoever_reads_json_is_answered(accept: str) -> None:
    check_accept(parse_accept_header(accept, MIMEAccept))


@pytest.mark.parametrize("accept", ["text/html", "image/png", "application/json;q=0"])
def test_whoever_cannot_read_json_is_refused_before_anything_is_decided(accept: str) -> None:
    with pytest.raises(GovernorError) as caught:
        check_accept(parse_accept_header(accept, MIMEAccept))
    assert caught.value.code == "not_acceptable"


@pytest.mark.parametrize(
    ("prefer", "seconds"),
    [
        (None, 0),
        ("", 0),
        ("wait=20", 20),
        ('wait="20"', 20),
        ("respond-async, wait=3;x=1", 3),
        ("WAIT=4", 4),
        ("wait=26", 25),
        ("wait=999999999", 25),
        ("wait=1e9", 0),
        ("wait=-1", 0),
        ("wait=abc", 0),
        ("wait=٣", 0),
        ("wait=" + "9" * 5000, 0),
        (", ".join(f"p{n}=1" for n in range(50)), 0),
    ],
)
def test_a_wait_is_read_where_it_is_one_and_capped(prefer: str | None, seconds: int) -> None:
    assert wait_seconds(prefer) == seconds


@pytest.mark.parametrize(
    ("traceparent", "trace"),
    [
        ("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", "0af7651916cd43dd8448eb211c80319c"),
        ("00-00000000000000000000000000000000-b7ad6b7169203331-01", None),
        ("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", None),
        ("x" * 10_000, None),
        (None, None),
    ],
)
def test_a_trace_is_taken_over_only_when_it_is_one(traceparent: str | None, trace: str | None) -> None:
    assert trace_id(traceparent) == trace
