import pytest

from governor.whole_request import LARGEST_BYTES, LARGEST_WEBHOOK_BYTES, is_whole

HOOK = b"POST /webhooks/stripe/test HTTP/1.1\r\nHost: x\r\n"
HEAD = b"POST / HTTP/1.1\r\nHost: x\r\n"


@pytest.mark.parametrize(
    ("received", "whole"),
    [
        (b"", False),
        (b"GET / HTTP/1.1\r\n", False),
        # A webhook may have a larger body, not a head without an end.
        (HOOK + b"x" * LARGEST_BYTES, True),
        (b"GET / HTTP/1.1\r\n\r\n", True),
        (HEAD + b"Content-Length: 3\r\n\r\nab", False),
        (HEAD + b"Content-Length: 3\r\n\r\nabc", True),
        (HEAD + b"cOnTeNt-LeNgTh:3\r\nX: y\r\n\r\nab", False),
        (HEAD + b"Content-Length: 3\r\n\r\nabcPOST / HTTP/1.1\r\n", True),
        (HEAD + b"X-Content-Length: 3\r\n\r\n", True),
        (HEAD + b"Content-Length: nonsense\r\n\r\n", True),
        (HEAD + b"Content-Length: 99999999\r\n\r\n", True),
        (HEAD + b"Content-Length: 99999999999999999999\r\n\r\n", True),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n", False),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n", False),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n", True),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\nTrailer: y\r\n\r\n", True),
        (HEAD + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n", True),
        (b"x" * (LARGEST_BYTES + 1), True),
        (HEAD + b"Content-Length: 1000000\r\n\r\n", True),
        (HOOK + b"Content-Length: 1000000\r\n\r\n", False),
        (HOOK + b"Content-Length: 1000000\r\n\r\n" + b"x" * 999_999, False),
        (HOOK + b"Content-Length: 1000000\r\n\r\n" + b"x" * 1_000_000, True),
        (HOOK + b"Content-Length: 9999999\r\n\r\n", True),
        (HOOK + b"x" * LARGEST_WEBHOOK_BYTES, True),
    ],
)
def test_a_request_is_whole_when_nothing_more_is_to_come(received: bytes, whole: bool) -> None:
    assert is_whole(received) is whole
