"""Whatever somebody writes is shown as what it is, on every page: it runs nothing, becomes nothing and hides nothing."""

import re
from collections.abc import Callable
from itertools import product

import pytest
from flask import Flask

from governor.console.page import Page
from governor.console.pages import PAGES
from governor.domain.credentials import Role
from tests.builders import World
from tests.console.browsing import Element, Seen, Visitor
from tests.console.crew import PASSWORD, Crew
from tests.console.examples import address_of, examples
from tests.console.hostile import DECEIVING, SCRIPTS, TEXTS, bundles

READING = [page for page in PAGES if page.method == "GET" and not page.is_file]
ASKING = [page for page in PAGES if page.method == "POST" and page.form is not None and page.form.fields]
TYPED = {"text", "area", "amount", "hidden"}
OURS = re.compile(r"/console/|#|/console$")
UNSEEN = re.compile(
    "[\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069\\ufeff\\u00ad\\u034f\\u2028\\U000e0000-\\U000e007f\\x00-\\x08\\x1b]"
)


@pytest.fixture(scope="module")
def hostile(world: World) -> list[dict[str, str]]:
    """Ids of things whose people wrote all of these texts."""
    return [examples(world, text) for text in bundles(TEXTS)]


def _ran_nothing(seen: Seen) -> None:
    """The page has only elements of our own: nothing that runs, styles, embeds, or leads elsewhere."""
    for one in seen.root.all():
        assert one.tag not in {
            "style",
            "iframe",
            "object",
            "embed",
            "base",
            "marquee",
            "math",
            "video",
            "noscript",
        }
        assert not [name for name in one.attributes if name.startswith(("on", "hx-on")) or name == "style"], (
            one
        )
        for name in ("href", "src", "action", "formaction", "xlink:href"):
            assert OURS.match(one.attributes.get(name, "#")), one
        if one.tag == "script":
            assert one.attributes["src"].startswith("/console/static/")
            assert one.text == ""
        if one.tag == "meta":
            assert "http-equiv" not in one.attributes
    assert not UNSEEN.search(seen.html)


@pytest.mark.parametrize("page", READING, ids=lambda page: page.endpoint.removeprefix("console."))
def test_what_people_write_is_text_on_every_page(
    visitor: Callable[[Role], Visitor], hostile: list[dict[str, str]], page: Page
) -> None:
    """RELIABILITY §4.10, 186, and §5.2 T25, T26."""
    for ids in hostile:
        seen = visitor(page.roles[0]).get(address_of("test", page.rule, ids))
        assert seen.status == 200
        _ran_nothing(seen)


@pytest.mark.parametrize("page", ASKING, ids=lambda page: page.endpoint.removeprefix("console."))
def test_what_is_typed_into_any_field_comes_back_as_text(
    visitor: Callable[[Role], Visitor], hostile: list[dict[str, str]], page: Page
) -> None:
    """RELIABILITY §4.10, 186: all fields of the registry's forms, whether it is refused, shown again or done."""
    assert page.form is not None
    fields = [field for field in page.form.fields if field.kind in TYPED]
    for number, (text, looked_at) in enumerate(product([*bundles(SCRIPTS), SCRIPTS[1].text], ["no", "yes"])):
        once = {"once": f"a-key-of-some-form-{number}", "checked": looked_at}
        chosen = {field.name: field.options[0][0] for field in page.form.fields if field.options}
        typed = {field.name: text.replace("\x00", "") for field in fields}
        sender = visitor(page.roles[0])
        seen = sender.post(address_of("test", page.rule, hostile[0]), once | chosen | typed)
        assert seen.status in {200, 303, 412, 422}
        _ran_nothing(seen)
        for field in (one for one in fields if one.kind != "hidden"):
            shown = [one for one in seen.root.all() if one.attributes.get("name") == field.name]
            assert all(_holds(one, typed[field.name]) for one in shown if one.tag in {"input", "textarea"}), (
                field
            )


def _holds(question: Element, text: str) -> bool:
    """Whether a question has the text as its answer, to the letter."""
    return text.split() == (question.attributes.get("value") or question.text).split()


def test_a_note_is_there_to_the_letter(visitor: Callable[[Role], Visitor], world: World) -> None:
    for text in bundles(SCRIPTS):
        ids = examples(world, text)
        seen = visitor(Role.OPERATOR).get(address_of("test", "/refund-requests/<request_id>", ids))
        first, note, reason = (one.text for one in seen.all("div", class_="quote"))
        assert first == reason, "what an approver wrote stands where one looks first, and in the story"
        assert note == reason == " ".join(text.split())


@pytest.mark.parametrize("text", [one.text for one in TEXTS if "\x00" not in one.text])
def test_what_is_typed_into_the_address_is_text_too(visitor: Callable[[Role], Visitor], text: str) -> None:
    asker = visitor(Role.OPERATOR)
    found = asker.client.get("/console/e/test/find", query_string={"q": text}, base_url="http://localhost")
    _ran_nothing(Seen("/console/e/test/find", found))
    for name in ("state", "payment", "customer", "case"):
        got = asker.client.get(
            "/console/e/test/refund-requests", query_string={name: text}, base_url="http://localhost"
        )
        _ran_nothing(Seen("/console/e/test/refund-requests", got))


def test_a_person_of_any_name_is_named_on_every_page_and_does_nothing_to_it(
    app: Flask, world: World, crew: Crew
) -> None:
    login = crew.somebody("mallory", {"test": [Role.OPERATOR]})
    visitor = Visitor(app)
    visitor.sign_in(login, PASSWORD)
    for one in [*SCRIPTS, *DECEIVING]:
        name = "".join(character for character in one.text if character.isprintable())[:120]
        if not name.strip():
            continue
        world.app.people.manage.rename(login, name)
        _ran_nothing(visitor.get("/console/e/test/account"))


def test_a_text_that_cannot_be_kept_is_refused(visitor: Callable[[Role], Visitor]) -> None:
    sender = visitor(Role.AGENT)
    for raw in (
        b"once=a-key-of-some-form&code=%00",
        b"once=a-key-of-some-form&code=%ff",
        b"\xff=1",
        b"a" * 70_000,
    ):
        got = sender.client.post(
            "/console/e/test/account/authenticator",
            data=raw,
            base_url="http://localhost",
            headers={"Sec-Fetch-Site": "same-origin"},
            content_type="application/x-www-form-urlencoded",
        )
        assert got.status_code in {400, 413}
