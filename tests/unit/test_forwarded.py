import pytest

from governor.http.forwarded import Forwarded


def _seen(peer: str, forwarded: str | None) -> object:
    seen: list[object] = []

    def behind(environ: dict[str, object], start_response: object) -> list[bytes]:
        del start_response
        seen.append(environ.get("REMOTE_ADDR"))
        return []

    environ: dict[str, object] = {"REMOTE_ADDR": peer}
    if forwarded is not None:
        environ["HTTP_X_FORWARDED_FOR"] = forwarded
    Forwarded(behind, frozenset({"127.0.0.1", "10.0.0.7"}))(environ, lambda *_: lambda _: None)
    return seen[0]


@pytest.mark.parametrize(
    ("peer", "forwarded", "seen"),
    [
        ("127.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("10.0.0.7", "198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "203.0.113.1, 198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "2001:db8::1", "2001:db8::1"),
        ("198.51.100.9", "203.0.113.1", "198.51.100.9"),
        ("127.0.0.1", None, "127.0.0.1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "somebody", "127.0.0.1"),
        ("127.0.0.1", "198.51.100.7,", "127.0.0.1"),
        ("127.0.0.1", "198.51.100.7:443", "127.0.0.1"),
    ],
)
def test_a_proxy_is_believed_its_last_word_and_nobody_else_any(
    peer: str, forwarded: str | None, seen: str
) -> None:
    assert _seen(peer, forwarded) == seen
