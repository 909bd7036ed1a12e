"""People who come by an identity provider (RELIABILITY §5.2 T45)."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from governor.bootstrap import Application
from governor.domain.credentials import Role
from governor.domain.errors import Conflict, Forbidden, Unauthenticated
from governor.domain.people import How
from governor.settings import Settings
from governor.usecases.callers import HOST
from governor.usecases.sessions import Opened
from governor.usecases.sign_in_elsewhere import SignInElsewhere
from tests.builders import World, close, settings
from tests.fakes.idp import CLIENT_ID, CLIENT_SECRET, Idp, running_idp
from tests.usecases.people import ADDRESS, PASSWORD, Staff

MAPPED = {
    "refunds": {"test": ["agent"]},
    "seniors": {"test": ["agent", "approver"]},
    "lost": {"nowhere": ["operator"]},
}


@pytest.fixture
def idp() -> Iterator[Idp]:
    with running_idp() as idp:
        yield idp


def _fields(issuer: str, folder: Path) -> dict[str, Any]:
    secret = folder / "client-secret"
    secret.write_text(CLIENT_SECRET + "\n")
    return {
        "oidc_issuer": issuer,
        "oidc_client_id": CLIENT_ID,
        "oidc_client_secret_file": secret,
        "oidc_redirect_url": "https://governor.example/console/sign-in/oidc/callback",
        "oidc_memberships": MAPPED,
    }


@pytest.fixture
def app(world: World, idp: Idp, tmp_path: Path) -> Iterator[Application]:
    app = world.another_process(**_fields(idp.issuer, tmp_path))
    yield app
    close(app)


@pytest.fixture
def staff(world: World) -> Staff:
    return Staff(world)


def _door(app: Application) -> SignInElsewhere:
    assert app.people.elsewhere is not None
    return app.people.elsewhere


def _come(app: Application, idp: Idp, *, fresh: bool = False) -> Opened:
    started = _door(app).begin(fresh=fresh)
    return _door(app).finish(started.ticket, idp.visit(started.url), ADDRESS)


def _roles(app: Application, opened: Opened) -> frozenset[Role]:
    return app.people.sessions.of(opened.token).roles("test")


def test_a_newcomer_is_what_their_groups_say(app: Application, idp: Idp, world: World) -> None:
    idp.groups = ["seniors", "lost", "choir"]
    opened = _come(app, idp)
    assert (opened.person.login, opened.person.name) == ("ada", "Ada L.")
    assert opened.session.how is How.OIDC
    assert _roles(app, opened) == {Role.AGENT, Role.APPROVER}
    assert _come(app, idp).person.id == opened.person.id
    idp.groups = ["refunds"]
    assert _roles(app, _come(app, idp)) == {Role.AGENT}
    assert _roles(app, opened) == {Role.AGENT}
    with app.store.reading() as reads:
        trail = [row.entry for row in reads.audit("test", after=0, at_most=100)]
    about = [
        (one.action, one.actor)
        for one in trail
        if str((one.facts.get("to") or {}).get("owner")) == "ada" or one.action.endswith("revoked")
    ]
    assert about == [("credential.created", HOST)] * 2 + [("credential.revoked", HOST)]
    assert world.app.people.elsewhere is None


def test_what_was_granted_by_hand_and_is_in_no_group_stays(
    app: Application, idp: Idp, staff: Staff, world: World
) -> None:
    staff.person("ada", Role.AUDITOR, Role.APPROVER)
    app.people.manage.link("ada", idp.issuer, idp.subject)
    idp.groups = ["refunds"]
    assert _roles(app, _come(app, idp)) == {Role.AUDITOR, Role.AGENT}
    idp.groups = []
    assert _roles(app, _come(app, idp)) == {Role.AUDITOR}
    assert staff.sign_in("ada").person.login == "ada"
    world.app.people.manage.unlink("ada")
    with pytest.raises(Forbidden, match="identity_unknown"):
        _come(app, idp)


def test_an_identity_that_was_theirs_by_mistake_opens_nothing_once_it_is_taken_back(
    app: Application, idp: Idp, staff: Staff, world: World
) -> None:
    """What it had opened already is over, too; what they signed in to by their password goes on."""
    staff.person("ada", Role.APPROVER)
    app.people.manage.link("ada", idp.issuer, idp.subject)
    stranger, herself = _come(app, idp), staff.sign_in("ada")
    world.app.people.manage.unlink("ada")
    with pytest.raises(Unauthenticated, match="session_over"):
        app.people.sessions.of(stranger.token)
    assert app.people.sessions.of(herself.token).person.login == "ada"


def test_nobody_becomes_somebody_by_being_called_like_them(
    app: Application, idp: Idp, staff: Staff, world: World
) -> None:
    """The same name or e-mail address under another subject is another person."""
    idp.groups = ["seniors"]
    ada = _come(app, idp).person
    idp.subject = "sub-mallory"
    with pytest.raises(Conflict, match="login_taken"):
        _come(app, idp)
    for name in ("ADA", "ada@elsewhere.example"):
        idp.username = name
        with pytest.raises(Conflict, match="login_taken"):
            _come(app, idp)
    world.key(owner="gwen", agent="bot-7")
    for name in ("gwen", "bot-7"):
        idp.username = name
        with pytest.raises(Conflict, match="login_taken"):
            _come(app, idp)
    idp.username = staff.person("ben", Role.OPERATOR)
    with pytest.raises(Conflict, match="login_taken"):
        _come(app, idp)
    idp.username = "mallory"
    assert _come(app, idp).person.id != ada.id
    with pytest.raises(Conflict, match="identity_taken"):
        app.people.manage.link("ben", idp.issuer, "sub-mallory")


@pytest.mark.parametrize("name", ["", "a", "ä", "../etc", "ada\x00", "x" * 100, "@example.com"])
def test_a_newcomer_without_a_name_to_use_waits_to_be_linked(app: Application, idp: Idp, name: str) -> None:
    idp.groups, idp.username = ["seniors"], name
    with pytest.raises(Forbidden, match="identity_unknown"):
        _come(app, idp)


def test_who_is_in_no_group_of_ours_is_nobody_here(app: Application, idp: Idp) -> None:
    idp.groups = ["choir"]
    with pytest.raises(Forbidden, match="identity_unknown"):
        _come(app, idp)
    assert app.people.manage.everybody() == ()


def test_a_disabled_person_does_not_come_in_by_the_other_door(app: Application, idp: Idp) -> None:
    idp.groups = ["seniors"]
    _come(app, idp)
    app.people.manage.disable("ada")
    with pytest.raises(Unauthenticated, match="sign_in_failed"):
        _come(app, idp)


def test_nobody_comes_in_twice_by_one_trip_even_if_the_provider_lets_them(app: Application, idp: Idp) -> None:
    idp.groups = ["seniors"]
    started = _door(app).begin()
    opened = _door(app).finish(started.ticket, idp.visit(started.url), ADDRESS)
    with pytest.raises(Unauthenticated, match="identity_refused"):
        _door(app).finish(started.ticket, idp.visit(started.url), ADDRESS)
    assert _roles(app, opened) == {Role.AGENT, Role.APPROVER}


@pytest.mark.parametrize("groups", [["seniors"], []])
def test_a_trip_that_lets_nobody_in_changes_nobodys_memberships(
    app: Application, idp: Idp, groups: list[str]
) -> None:
    idp.groups = ["refunds"]
    started = _door(app).begin()
    opened = _door(app).finish(started.ticket, idp.visit(started.url), ADDRESS)
    before = app.people.manage.memberships(opened.person)
    idp.groups = groups
    with pytest.raises(Unauthenticated, match="identity_refused"):
        _door(app).finish(started.ticket, idp.visit(started.url), ADDRESS)
    assert app.people.manage.memberships(opened.person) == before


def test_a_session_from_elsewhere_is_confirmed_as_far_as_the_provider_says(
    app: Application, idp: Idp
) -> None:
    idp.groups = ["seniors"]
    assert app.people.sessions.of(_come(app, idp).token).confirmed
    idp.change = lambda claims: claims.update(auth_time=claims["auth_time"] - 3600)
    stale = app.people.sessions.of(_come(app, idp).token)
    assert not stale.confirmed
    with pytest.raises(Unauthenticated, match="sign_in_failed"):
        app.people.sessions.confirm(_come(app, idp).token, PASSWORD, "")
    idp.change = lambda claims: claims.pop("auth_time")
    assert not app.people.sessions.of(_come(app, idp).token).confirmed
    idp.change = lambda _claims: None
    assert app.people.sessions.of(_come(app, idp, fresh=True).token).confirmed


@pytest.mark.parametrize(
    "wrong",
    [
        {"oidc_client_id": None},
        {"oidc_client_secret_file": None},
        {"oidc_redirect_url": None},
        {"oidc_issuer": "http://idp.example"},
        {"oidc_issuer": "https://user@idp.example"},
        {"oidc_issuer": "idp.example"},
        {"oidc_redirect_url": "http://governor.example/console"},
        {"oidc_memberships": {"staff": {"test": ["root"]}}},
        {"oidc_memberships": ["staff"]},
    ],
)
def test_half_a_provider_or_one_in_the_clear_stops_the_process(tmp_path: Path, wrong: dict[str, Any]) -> None:
    fields = _fields("https://idp.example", tmp_path)
    assert settings("postgresql+psycopg://x", "redis://x", **fields).oidc_issuer == "https://idp.example"
    with pytest.raises(ValueError, match="validation error"):
        settings("postgresql+psycopg://x", "redis://x", **(fields | wrong))


def test_the_mapping_is_read_from_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "DATABASE_URL": "postgresql+psycopg://x",
        "REDIS_URL": "redis://x",
        "PEPPER": "p" * 32,
        "STRIPE_KEY": "sk_test_1",
        "OIDC_MEMBERSHIPS": json.dumps(MAPPED),
    }.items():
        monkeypatch.setenv(f"GOVERNOR_{name}", value)
    assert Settings().oidc_memberships.of(["refunds"]) == {("test", Role.AGENT)}
