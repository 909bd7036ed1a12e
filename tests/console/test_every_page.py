"""What holds for every page of the registry: who gets through, from where, and what every answer carries."""

from collections.abc import Callable

import pytest
from flask import Flask

from governor.console.page import Page
from governor.console.pages import PAGES
from governor.domain.credentials import Role
from governor.domain.environments import Mode
from governor.usecases.change_environment import EnvironmentDraft
from tests.builders import World
from tests.console.browsing import Visitor
from tests.console.crew import PASSWORD, Crew
from tests.console.examples import address_of, examples

READING = [page for page in PAGES if page.method == "GET" and not page.is_file]
ACTING = [page for page in PAGES if page.method == "POST"]
ONCE = "a-key-of-some-form"


def _name(value: object) -> str:
    return value.endpoint.removeprefix("console.") if isinstance(value, Page) else str(value)


@pytest.fixture(scope="module")
def ids(world: World, crew: Crew) -> dict[str, str]:
    """Something to look at for every argument; people who ask for refunds look at keys that they answer for only."""
    theirs = world.caller(name="theirs", owner=crew.login(Role.AGENT))
    return examples(world) | {"credential_id": theirs.credential.id}


@pytest.fixture(scope="module")
def elsewhere(world: World, crew: Crew, app: Flask) -> Visitor:
    """Somebody with every role in another environment, and none in this one."""
    world.app.change_environment.found("elsewhere", EnvironmentDraft(Mode.ENFORCE, 25, 3600))
    visitor = Visitor(app)
    visitor.sign_in(crew.somebody("zoe", {"elsewhere": list(Role)}), PASSWORD)
    return visitor


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("page", READING, ids=_name)
def test_a_page_is_shown_to_its_roles_and_to_nobody_else(
    visitor: Callable[[Role], Visitor], ids: dict[str, str], page: Page, role: Role
) -> None:
    seen = visitor(role).get(address_of("test", page.rule, ids))
    assert seen.status == (200 if role in page.roles else 403), seen.text
    assert len(seen.all("h1")) == 1
    assert seen.title != "Sign in"


@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("page", ACTING, ids=_name)
def test_a_form_is_taken_from_its_roles_and_from_nobody_else(
    visitor: Callable[[Role], Visitor], ids: dict[str, str], page: Page, role: Role
) -> None:
    """What is sent has only its key: a page that gets through says what is missing, or does what asks nothing."""
    seen = visitor(role).post(address_of("test", page.rule, ids), {"once": ONCE})
    assert (seen.status == 403) is (role not in page.roles), seen.text
    assert seen.status != 401


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_nothing_is_shown_or_done_without_signing_in(app: Flask, ids: dict[str, str], page: Page) -> None:
    stranger, address = Visitor(app), address_of("test", page.rule, ids)
    seen = stranger.get(address) if page.method == "GET" else stranger.post(address, {"once": ONCE})
    assert (seen.status, seen.title) == (200 if page.method == "GET" else 401, "Sign in")


@pytest.mark.parametrize("page", PAGES, ids=_name)
def test_an_environment_that_one_has_nothing_to_do_with_is_not_there(
    elsewhere: Visitor, ids: dict[str, str], page: Page
) -> None:
    for environment in ("test", "nowhere"):
        address = address_of(environment, page.rule, ids)
        seen = elsewhere.get(address) if page.method == "GET" else elsewhere.post(address, {"once": ONCE})
        assert (seen.status, seen.title) == (404, "There is nothing here"), environment


@pytest.mark.parametrize("page", [page for page in PAGES if "<" in page.rule], ids=_name)
def test_what_belongs_to_another_environment_is_not_there(
    elsewhere: Visitor, ids: dict[str, str], page: Page
) -> None:
    address = address_of("elsewhere", page.rule, ids)
    seen = elsewhere.get(address) if page.method == "GET" else elsewhere.post(address, {"once": ONCE})
    assert seen.status == 404, seen.text


@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
        {"Sec-Fetch-Site": "", "Origin": ""},
        {"Origin": "null"},
        {"Origin": "http://localhost.evil"},
        {"Origin": "http://localhost:1"},
    ],
    ids=str,
)
@pytest.mark.parametrize("page", ACTING, ids=_name)
def test_what_no_page_of_ours_has_sent_is_refused(
    visitor: Callable[[Role], Visitor], ids: dict[str, str], page: Page, headers: dict[str, str]
) -> None:
    """RELIABILITY §4.10, 181."""
    seen = visitor(page.roles[0]).post(address_of("test", page.rule, ids), {"once": ONCE}, **headers)
    assert seen.status == 403
    assert "not sent from a page of the console" in seen.text


@pytest.mark.parametrize("page", ACTING, ids=_name)
def test_a_form_is_sent_as_a_form_or_not_at_all(
    visitor: Callable[[Role], Visitor], ids: dict[str, str], page: Page
) -> None:
    """RELIABILITY §4.10, 181: what a form may send as `text/plain` is no form either."""
    sender = visitor(page.roles[0])
    address = address_of("test", page.rule, ids)
    assert sender.post(address, b"once=" + ONCE.encode(), Content_Type="text/plain").status == 400
    assert sender.post(address, {"once": ONCE, "not_a_field": "1"}).status == 400
    assert sender.post(address, [("once", ONCE), ("once", ONCE)]).status == 400
    assert sender.post(address, {"nothing": ""}).status == 400


@pytest.mark.parametrize("page", READING, ids=_name)
def test_every_answer_keeps_itself_to_this_site_and_this_moment(
    visitor: Callable[[Role], Visitor], ids: dict[str, str], page: Page
) -> None:
    """RELIABILITY §4.10, 182, and §5.2 T24, T25, T28, T51."""
    seen = visitor(page.roles[0]).get(address_of("test", page.rule, ids))
    headers = seen.response.headers
    policy = dict(one.strip().partition(" ")[::2] for one in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert policy["script-src"] == policy["style-src"] == policy["form-action"] == "'self'"
    assert policy["require-trusted-types-for"] == "'script'"
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["Request-Id"].startswith("req_")


@pytest.mark.parametrize("page", READING, ids=_name)
def test_a_page_has_nothing_inline_and_every_question_its_label(
    visitor: Callable[[Role], Visitor], ids: dict[str, str], page: Page
) -> None:
    seen = visitor(page.roles[0]).get(address_of("test", page.rule, ids))
    everything = list(seen.root.all())
    named = [one.attributes["id"] for one in everything if "id" in one.attributes]
    assert len(named) == len(set(named)), "an id stands twice"
    for one in everything:
        assert not [name for name in one.attributes if name.startswith("on") or name == "style"], one
        assert one.tag != "style"
        assert one.tag != "script" or one.attributes["src"].startswith("/console/static/")


@pytest.mark.parametrize("page", READING, ids=_name)
def test_a_query_that_a_page_does_not_know_is_refused(
    visitor: Callable[[Role], Visitor], ids: dict[str, str], page: Page
) -> None:
    """RELIABILITY §4.10, 181: what a form would send does nothing as the address of a link or an image."""
    address = address_of("test", page.rule, ids)
    assert visitor(page.roles[0]).get(f"{address}?amuont=1").status == 400
    assert visitor(page.roles[0]).get(f"{address}?once={ONCE}&checked=yes").status == 400


def test_every_page_with_a_form_has_one_that_shows_it() -> None:
    shown = {page.rule: page.form for page in READING}
    sent = {page.rule: page.form for page in ACTING if page.form is not None}
    assert {rule: form for rule, form in sent.items() if shown.get(rule) != form} == {}


def test_no_two_pages_have_the_same_address_and_every_role_has_a_beginning() -> None:
    addresses = [(page.method, page.rule) for page in PAGES]
    assert len(addresses) == len(set(addresses))
    homes = [role for page in PAGES for role in page.home_of]
    assert len(homes) == len(set(homes)), "a role begins at two pages"
