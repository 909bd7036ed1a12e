"""A browser without scripts: it keeps cookies, reads pages, and sends their forms as they stand.

visitor = Visitor(app)
visitor.sign_in("ada", PASSWORD)
page = visitor.get("/console/e/test/refund-requests")
page = visitor.send(page.form("Filter"), state="queued")
page.status, page.title, page.text, page.links
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from typing import Any
from urllib.parse import urlencode, urlsplit

from werkzeug.test import Client, TestResponse

ORIGIN = "http://localhost"
_VOID = frozenset("area base br col embed hr img input link meta source track wbr".split())


@dataclass
class Element:
    """An element of a page, with what is in it."""

    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    def all(self) -> Iterator[Element]:
        """This element and all below it, in their order."""
        yield self
        for child in self.children:
            if isinstance(child, Element):
                yield from child.all()

    @property
    def text(self) -> str:
        """The words in it, each space one."""
        parts = [child if isinstance(child, str) else child.text for child in self.children]
        return " ".join(" ".join(parts).split())


@dataclass(frozen=True)
class SentForm:
    """A form as a browser would send it by one of its buttons."""

    method: str
    action: str
    fields: list[tuple[str, str]]

    def value(self, name: str) -> str | None:
        """What it sends under a name."""
        return next((value for known, value in self.fields if known == name), None)


class _Reader(HTMLParser):
    """Builds the tree; a tag that is closed in the wrong place is an error of the template."""

    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


@dataclass(frozen=True)
class Seen:
    """A page as it came."""

    address: str
    response: TestResponse

    @property
    def status(self) -> int:
        """The HTTP status."""
        return self.response.status_code

    @property
    def html(self) -> str:
        """The page's source."""
        return self.response.get_data(as_text=True)

    @cached_property
    def root(self) -> Element:
        """The page's tree."""
        reader = _Reader()
        reader.feed(self.html)
        assert reader.open == [reader.root], f"never closed: {[one.tag for one in reader.open[1:]]}"
        return reader.root

    def all(self, tag: str, **attributes: str) -> list[Element]:
        """Every element of a tag with these attributes; `_` for `-`, and `class_` for a word of its class."""
        wanted = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
        return [one for one in self.root.all() if one.tag == tag and _fits(one, wanted)]

    @property
    def text(self) -> str:
        """The words of what the page is about."""
        return " ".join(one.text for one in self.all("main"))

    @property
    def title(self) -> str:
        """Its first heading."""
        return self.all("h1")[0].text

    @property
    def links(self) -> list[str]:
        """Where it leads."""
        return [one.attributes["href"] for one in self.all("a") if "href" in one.attributes]

    def form(self, button: str) -> SentForm:
        """The form with this button, as it is sent by it."""
        for form in self.all("form"):
            parts = self._parts_of(form)
            for one in parts:
                if one.tag == "button" and one.text == button:
                    return _sent(self.address, form, parts, one)
        raise AssertionError(f"no form has the button {button!r}: {self.html}")

    def _parts_of(self, form: Element) -> list[Element]:
        """What belongs to a form: what stands in it, and what names it from elsewhere."""
        inside = [one for one in form.all() if "form" not in one.attributes]
        named = form.attributes.get("id")
        return inside + [one for one in self.root.all() if named and one.attributes.get("form") == named]


def _fits(element: Element, wanted: dict[str, str]) -> bool:
    return all(
        value in element.attributes.get(name, "").split()
        if name == "class"
        else element.attributes.get(name) == value
        for name, value in wanted.items()
    )


def _sent(address: str, form: Element, parts: list[Element], button: Element) -> SentForm:
    fields = [pair for one in parts for pair in _answers(one)]
    if "name" in button.attributes:
        fields.append((button.attributes["name"], button.attributes.get("value", "")))
    action = button.attributes.get("formaction") or form.attributes.get("action") or urlsplit(address).path
    return SentForm(form.attributes.get("method", "get").upper(), action, fields)


def _answers(one: Element) -> list[tuple[str, str]]:
    name = one.attributes.get("name")
    if name is None or "disabled" in one.attributes:
        return []
    if one.tag == "input":
        ticked = one.attributes.get("type") not in {"radio", "checkbox"} or "checked" in one.attributes
        return [(name, one.attributes.get("value", "on"))] if ticked else []
    if one.tag == "textarea":
        # The first line end behind the tag is no part of the text (HTML §13.2.6.4.7).
        return [(name, "".join(str(child) for child in one.children).removeprefix("\n"))]
    if one.tag == "select":
        options = [option for option in one.all() if option.tag == "option"]
        chosen = [option for option in options if "selected" in option.attributes] or options[:1]
        return [(name, option.attributes.get("value", option.text)) for option in chosen]
    return []


class Visitor:
    """Somebody at a browser of their own."""

    def __init__(self, app: Any) -> None:
        self.client = Client(app)

    def get(self, address: str, **headers: str) -> Seen:
        """Look, and follow where it leads."""
        return self._followed(address, self._open("GET", address, None, headers))

    def post(self, address: str, fields: object, **headers: str) -> Seen:
        """Send fields from a page of ours, and stay at the answer."""
        sent = {"Sec-Fetch-Site": "same-origin", "Origin": ORIGIN} | headers
        return Seen(address, self._open("POST", address, fields, sent))

    def send(self, form: SentForm, **answers: str | list[str]) -> Seen:
        """Fill in a form, send it, and follow where it leads."""
        given = {name: [value] if isinstance(value, str) else value for name, value in answers.items()}
        fields = [pair for pair in form.fields if pair[0] not in given]
        fields += [(name, value) for name, values in given.items() for value in values]
        if form.method == "GET":
            return self.get(f"{form.action}?{urlencode(fields)}")
        return self._followed(form.action, self.post(form.action, fields).response)

    def sign_in(self, login: str, password: str) -> Seen:
        """Through the door."""
        return self.send(self.get("/console/sign-in").form("Sign in"), login=login, password=password)

    def cookie(self, name: str = "governor-console") -> str | None:
        """What the browser keeps under a name."""
        kept = self.client.get_cookie(name) or self.client.get_cookie(name, path="/console")
        return None if kept is None else kept.value

    def _open(self, method: str, address: str, fields: object, headers: dict[str, str]) -> TestResponse:
        sent: dict[str, Any] = {"base_url": ORIGIN, "headers": _dashed(headers)}
        if isinstance(fields, bytes):
            sent["data"] = fields
        elif fields is not None:
            sent["data"] = urlencode(list(fields.items()) if isinstance(fields, dict) else fields)  # type: ignore[arg-type]  # pairs, as a test wrote them
            sent["content_type"] = "application/x-www-form-urlencoded"
        return self.client.open(address, method=method, environ_base={"REMOTE_ADDR": "127.0.0.1"}, **sent)

    def _followed(self, address: str, response: TestResponse) -> Seen:
        for _ in range(5):
            if response.status_code != 303:
                return Seen(address, response)
            address = response.headers["Location"]
            response = self._open("GET", address, None, {})
        raise AssertionError(f"led on for ever, last to {address}")


def _dashed(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}
