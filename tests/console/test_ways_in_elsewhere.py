"""Coming in by the identity provider, page by page (RELIABILITY §5.2 T45)."""

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from flask import Flask

from governor.console.app import create_console
from governor.domain.errors import Unauthenticated
from tests.builders import World, close
from tests.console.browsing import Seen, Visitor
from tests.fakes.idp import CLIENT_ID, CLIENT_SECRET, Idp, running_idp

START = "/console/sign-in/oidc"
AGENTS = {"refunds": {"test": ["agent"]}}


@pytest.fixture
def idp() -> Iterator[Idp]:
    with running_idp() as idp:
        # Each test has a provider of its own, whose people have names that nobody has in the module's world.
        idp.groups, idp.username = ["refunds"], f"ada-{idp.issuer.rpartition(':')[2]}"
        yield idp


@pytest.fixture
def elsewhere(world: World, idp: Idp, tmp_path: Path) -> Iterator[Flask]:
    """The console of an installation that has a provider."""
    secret = tmp_path / "client-secret"
    secret.write_text(CLIENT_SECRET)
    process = world.another_process(
        oidc_issuer=idp.issuer,
        oidc_client_id=CLIENT_ID,
        oidc_client_secret_file=secret,
        oidc_redirect_url="http://localhost" + f"{START}/callback",
        oidc_memberships=AGENTS,
    )
    yield create_console(process, trusted_hosts=["localhost"], key=b"k" * 32)
    close(process)


def _go(visitor: Visitor, query: str = "") -> str:
    """Out: where the browser is sent."""
    answer = visitor.client.get(START + query, base_url="http://localhost")
    assert answer.status_code == 303
    return str(answer.headers["Location"])


def _back(visitor: Visitor, answer: dict[str, str]) -> Seen:
    return visitor.get(f"{START}/callback?{urlencode(answer)}")


def test_somebody_goes_out_comes_back_and_is_where_they_wanted_to_be(elsewhere: Flask, idp: Idp) -> None:
    visitor = Visitor(elsewhere)
    door = visitor.get("/console/e/test/account")
    out = next(link for link in door.links if link.startswith(START))
    seen = _back(visitor, idp.visit(_go(visitor, out.removeprefix(START))))
    assert (seen.status, seen.address) == (200, "/console/e/test/account")
    assert visitor.cookie("governor-console-trip") is None


def test_a_new_session_takes_the_old_ones_place(elsewhere: Flask, idp: Idp, world: World) -> None:
    visitor = Visitor(elsewhere)
    _back(visitor, idp.visit(_go(visitor)))
    before = visitor.cookie()
    assert before is not None
    out = _go(visitor, "?fresh=yes&next=/console/e/test/account")
    assert "prompt=login" in out
    assert _back(visitor, idp.visit(out)).address == "/console/e/test/account"
    after = visitor.cookie()
    assert after not in {None, before}
    with pytest.raises(Unauthenticated, match="session_over"):
        world.app.people.sessions.of(before)
    assert world.app.people.sessions.of(after or "").confirmed


def test_who_brings_back_something_else_stays_outside(elsewhere: Flask, idp: Idp) -> None:
    visitor, stranger = Visitor(elsewhere), Visitor(elsewhere)
    answer = idp.visit(_go(visitor))
    for wrong in (
        _back(stranger, answer),
        _back(visitor, answer | {"state": "another"}),
        _back(visitor, answer),
    ):
        assert (wrong.status, wrong.title) == (401, "Sign in")
        assert "sign in again" in wrong.all("p", role="alert")[0].text
    assert (visitor.cookie(), stranger.cookie()) == (None, None)
    refused = _back(visitor, {"error": "access_denied", "error_description": "<b>no</b>"})
    assert refused.status == 401
    assert "<b>no</b>" not in refused.html


def test_somebody_whom_nobody_knows_is_told_what_to_do(elsewhere: Flask, idp: Idp) -> None:
    idp.groups, idp.subject, idp.username = [], "sub-stranger", "stranger"
    seen = _back(visitor := Visitor(elsewhere), idp.visit(_go(visitor)))
    assert (seen.status, seen.title) == (403, "Sign in")
    assert "link" in seen.all("p", role="alert")[0].text


@pytest.mark.parametrize(
    "goal", ["//evil.example", "https:evil.example", "javascript:alert(1)", "/elsewhere"]
)
def test_nobody_is_led_to_another_site_afterwards(elsewhere: Flask, idp: Idp, goal: str) -> None:
    """RELIABILITY §4.10, 184."""
    visitor = Visitor(elsewhere)
    out = _go(visitor, "?" + urlencode({"next": goal}))
    answer = visitor.client.get(f"{START}/callback?{urlencode(idp.visit(out))}", base_url="http://localhost")
    assert (answer.status_code, answer.headers["Location"]) == (303, "/console")


def test_a_provider_that_is_away_is_said_to_be(elsewhere: Flask, idp: Idp) -> None:
    idp.broken = lambda _path: (503, b"{}")
    assert Visitor(elsewhere).get(START).status == 503
    idp.broken = lambda _path: None


def test_without_a_provider_there_is_no_such_way(app: Flask) -> None:
    visitor = Visitor(app)
    assert [visitor.get(START).status, visitor.get(f"{START}/callback").status] == [404, 404]
    assert [link for link in visitor.get("/console/sign-in").links if link.startswith(START)] == []


def test_what_was_typed_waits_while_somebody_signs_in_in_another_tab(
    elsewhere: Flask, idp: Idp, world: World
) -> None:
    visitor = Visitor(elsewhere)
    _back(visitor, idp.visit(_go(visitor)))
    world.app.people.sessions.end(visitor.cookie() or "")
    codes = "/console/e/test/account/authenticator"
    door = visitor.post(codes, {"once": "a-key-of-some-form", "code": "123 456"})
    too_soon = visitor.send(door.form("I have signed in there"))
    assert (too_soon.status, too_soon.title) == (401, "Sign in")
    other_tab = next(one for one in too_soon.all("a", target="_blank"))
    out = _go(visitor, other_tab.attributes["href"].removeprefix(START))
    _back(visitor, idp.visit(out))
    again = visitor.send(too_soon.form("I have signed in there"))
    back = visitor.send(again.form("Back to the form"))
    assert back.form("Ask me for codes from now on").value("code") == "123 456"
