"""Keys and people in the console: made and shown once, replaced, revoked; roles granted, never to oneself."""

import re
from collections.abc import Callable

import pytest

from governor.domain.credentials import Role
from governor.domain.errors import Unauthenticated
from governor.domain.lifecycle import State
from tests.builders import World
from tests.console.browsing import Seen, Visitor
from tests.console.crew import PASSWORD, Crew

HERE = "/console/e/test"


@pytest.fixture
def cleo(visitor: Callable[[Role], Visitor]) -> Visitor:
    return visitor(Role.OPERATOR)


def made(cleo: Visitor, **answers: str) -> Seen:
    return cleo.send(cleo.get(f"{HERE}/keys/new").form("Make the key"), **answers)


def secret_in(page: Seen) -> str:
    found = re.search(r"gvk_test_\w+", page.text)
    assert found is not None
    return found[0]


def test_a_key_is_shown_once_and_opens_what_it_is_for(world: World, cleo: Visitor) -> None:
    form = cleo.get(f"{HERE}/keys/new").form("Make the key")
    page = cleo.send(form, name="bot-7", role="agent")
    caller = world.app.authenticate(secret_in(page))
    assert (caller.role, caller.credential.name) == (Role.AGENT, "bot-7")
    assert page.response.headers["Cache-Control"] == "no-store"
    again = cleo.send(form, name="bot-7", role="agent")
    assert "gvk_" not in again.html
    assert "It was made already" in again.text
    assert "bot-7" in cleo.get(f"{HERE}/keys").text
    assert "gvk_" not in cleo.get(f"{HERE}/keys/{caller.credential.id}").html


def test_an_approver_is_made_with_what_they_may_approve(world: World, cleo: Visitor) -> None:
    page = made(cleo, name="lead", role="approver", kind="human", up_to="500.00", currency="usd")
    caller = world.app.authenticate(secret_in(page))
    assert caller.credential.approve_up_to == {"usd": 50_000}
    assert "up to $500.00" in cleo.get(f"{HERE}/keys/{caller.credential.id}").text


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        ({"name": ""}, "Fill in: Name."),
        ({"expires_at": "soon"}, "Type a date like"),
        ({"expires_at": "2020-01-01"}, "expires in the future"),
        ({"up_to": "500.00"}, "An amount has a currency"),
        ({"up_to": "500.00", "currency": "usd"}, "Only an approver approves."),
        ({"currency": "zzz", "up_to": "1.00"}, "This is no currency that Stripe refunds in."),
    ],
)
def test_what_no_key_can_have_is_refused_with_what_was_typed_kept(
    cleo: Visitor, answers: dict[str, str], words: str
) -> None:
    page = made(cleo, **{"name": "bot-8", "role": "agent"} | answers)
    assert page.status == 422
    assert words in page.text
    assert page.form("Make the key").value("role") == "agent"


def test_a_secret_is_replaced_with_an_overlap(world: World, cleo: Visitor) -> None:
    old = secret_in(made(cleo, name="bot-9", role="agent"))
    credential = world.app.authenticate(old).credential.id
    page = cleo.send(cleo.get(f"{HERE}/keys/{credential}/rotate").form("Replace the secret"), overlap="3600")
    assert world.app.authenticate(secret_in(page)).credential.id == credential
    assert world.app.authenticate(old).superseded is True
    assert "The old secret opens until" in cleo.get(f"{HERE}/keys/{credential}").text


def test_a_revoked_key_opens_nothing_and_what_it_asked_for_is_canceled(world: World, cleo: Visitor) -> None:
    world.limit(1_000_000)
    key = secret_in(made(cleo, name="bot-10", role="agent"))
    caller = world.app.authenticate(key)
    request = world.request(caller, world.payment(5000), 100)
    page = cleo.get(f"{HERE}/keys/{caller.credential.id}/revoke")
    assert cleo.send(page.form("Revoke it"), reason=" ").status == 422
    done = cleo.send(page.form("Revoke it"), reason="it leaked")
    assert "Revoked" in done.text
    assert world.now(request).state is State.CANCELED
    with pytest.raises(Unauthenticated):
        world.app.authenticate(key)


def test_an_agent_sees_its_own_keys_and_makes_only_narrower_ones(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    ada = visitor(Role.AGENT)
    other = world.caller(name="somebody-else").credential
    assert "somebody-else" not in ada.get(f"{HERE}/keys").text
    assert ada.get(f"{HERE}/keys/{other.id}").status == 404
    form = ada.get(f"{HERE}/keys/new").form("Make the key")
    assert {name for name, _ in form.fields} == {"once", "name", "kind", "expires_at"}
    wider = [("name", "boss"), ("role", "operator")]
    asked = [(name, value) for name, value in form.fields if name != "name"]
    assert ada.post(f"{HERE}/keys/new", asked + wider).status == 400
    page = ada.send(form, name="little-bot")
    child = world.app.authenticate(secret_in(page))
    assert child.credential.agent == "ada"
    assert len(child.chain) == 2


def test_a_role_is_granted_to_somebody_else_and_works_at_once(cleo: Visitor, crew: Crew, app: object) -> None:
    crew.somebody("zoe", {"test": [Role.AUDITOR]})
    zoe = Visitor(app)
    zoe.sign_in("zoe", PASSWORD)
    assert zoe.get(f"{HERE}/refunds/new").status == 403
    page = cleo.send(cleo.get(f"{HERE}/people/grant").form("Grant it"), login="zoe", role="agent")
    assert "zoe is agent here from now on." in page.text
    assert zoe.get(f"{HERE}/refunds/new").status == 200


@pytest.mark.parametrize(
    ("login", "words"),
    [("nobody-at-all", "Nobody has this login."), ("cleo", "Somebody else has to grant you this.")],
)
def test_nobody_unknown_and_nobody_themselves_is_granted_anything(
    cleo: Visitor, login: str, words: str
) -> None:
    page = cleo.send(cleo.get(f"{HERE}/people/grant").form("Grant it"), login=login, role="approver")
    assert page.status == 422
    assert words in page.text


def test_too_few_approvers_are_warned_of(visitor: Callable[[Role], Visitor]) -> None:
    assert "can approve here" in visitor(Role.AUDITOR).get(f"{HERE}/people").text


def test_people_are_listed_with_since_when_they_have_each_power_and_lead_to_what_they_did(
    world: World, crew: Crew, visitor: Callable[[Role], Visitor]
) -> None:
    crew.somebody("yara", {"test": [Role.APPROVER]})
    (row,) = [
        one for one in visitor(Role.AUDITOR).get(f"{HERE}/people").all("tr") if one.text.startswith("yara")
    ]
    today = world.app.store.now()
    assert f"approver since {today.day} {today:%b}" in row.text
    world.app.people.manage.disable("yara")
    page = visitor(Role.AUDITOR).get(f"{HERE}/people")
    (row,) = [one for one in page.all("tr") if one.text.startswith("yara")]
    assert "approver Disabled since" in row.text
    assert f"{HERE}/audit?actor=yara" in page.links


def test_a_revoked_key_says_why_and_leads_to_who_made_and_revoked_it(
    world: World, visitor: Callable[[Role], Visitor]
) -> None:
    key = world.caller(name="leaky").credential.id
    world.app.manage_credentials.revoke(world.operator, key, "seen in a log")
    page = visitor(Role.AUDITOR).get(f"{HERE}/keys/{key}")
    assert "seen in a log" in page.text
    rows = visitor(Role.AUDITOR).get(f"{HERE}/audit?object={key}")
    assert f"{HERE}/audit?object={key}" in page.links
    assert ["Key or role revoked" in rows.text, "Key made: agent" in rows.text] == [True, True]
