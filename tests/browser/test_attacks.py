"""What other sites and other people's words try, in a real browser."""

import http.server
import threading
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page

from governor.console.pages import PAGES
from governor.domain.credentials import Role
from tests.browser.stage import Stage
from tests.browser.watching import Watch
from tests.builders import World
from tests.console.examples import address_of, examples
from tests.console.hostile import DECEIVING, TEXTS, bundles

OUT = "/console/e/test/account/sign-out-everywhere"


class _Site(http.server.BaseHTTPRequestHandler):
    """Somebody else's site: whatever is asked for, its one page."""

    page = b""

    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(type(self).page)

    def log_message(self, *_args: object) -> None:
        """It says nothing."""


@pytest.fixture
def site() -> Iterator[tuple[type[_Site], int]]:
    """A site of somebody else on this machine: its page is set, its port returned."""
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Site)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield _Site, server.server_address[1]
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"], ids=["cross-site", "same-site"])
@pytest.mark.parametrize("encoding", ["application/x-www-form-urlencoded", "text/plain"])
def test_a_form_of_another_site_does_nothing(
    stage: Stage,
    visit: Callable[..., Page],
    watch: Watch,
    site: tuple[type[_Site], int],
    host: str,
    encoding: str,
) -> None:
    """RELIABILITY §4.10, 181: another port is the same site to cookies, and another origin to us."""
    page = visit(Role.AGENT, fresh=True)
    served, port = site
    served.page = f"""<form method="post" action="{stage.url}{OUT}" enctype="{encoding}">
        <input name="once" value="a-key-of-some-form"></form>
        <script>document.forms[0].submit()</script>""".encode()
    watch.expect("403")
    watch.expect("401")
    with page.expect_navigation(url=f"**{OUT}"):
        page.goto(f"http://{host}:{port}/")
    assert page.locator("h1").inner_text() in {"You may not do this", "Sign in"}
    page.goto("/console/e/test/account")
    assert page.locator("h1").inner_text() == "Your account"


def test_no_page_is_shown_inside_another(
    stage: Stage, visit: Callable[..., Page], watch: Watch, site: tuple[type[_Site], int]
) -> None:
    """RELIABILITY §4.10, 182."""
    page = visit(Role.AGENT)
    served, port = site
    served.page = f'<iframe src="{stage.url}/console/e/test/refund-requests"></iframe>'.encode()
    watch.expect("frame-ancestors")
    watch.expect("X-Frame-Options")
    watch.expect("chrome-error")
    with page.expect_event("console", lambda message: "frame" in message.text.lower()):
        page.goto(f"http://localhost:{port}/")
    assert all("Refund requests" not in frame.content() for frame in page.frames)


def test_what_people_write_runs_nothing_on_any_page(stage: Stage, visit: Callable[..., Page]) -> None:
    """RELIABILITY §4.10, 186: no dialog, nothing refused by the policy, no error in the console."""
    shown = [one for one in PAGES if one.method == "GET" and not one.is_file]
    reader = {role: visit(role) for role in {one.roles[0] for one in shown}}
    for text in bundles(TEXTS):
        ids = examples(stage.world, text)
        for one in shown:
            page = reader[one.roles[0]]
            page.goto(address_of("test", one.rule, ids))
            assert page.evaluate("document.forms.length") >= 3


def test_no_note_moves_the_amount_or_hides_it(stage: Stage, visit: Callable[..., Page]) -> None:
    """RELIABILITY §5.2 T26."""
    page = visit(Role.OPERATOR)
    places = {_amount_box(page, stage.world, one.text) for one in DECEIVING}
    assert len(DECEIVING) == 12
    assert places == {_amount_box(page, stage.world, "It came broken.")}


def _amount_box(page: Page, world: World, note: str) -> tuple[str, str]:
    """Where the amount stands and what it says, on the page of a request with this note; nothing lies over it."""
    world.limit(1_000_000)
    request = world.request(world.caller(), world.payment(5000), 1240, note=note)
    page.goto(f"/console/e/test/refund-requests/{request.id}")
    amount = page.locator("h1 .money")
    box = amount.bounding_box()
    assert box is not None
    on_top = page.evaluate(
        "([x, y]) => document.elementFromPoint(x, y).closest('h1 .money') !== null",
        [box["x"] + box["width"] / 4, box["y"] + box["height"] / 2],
    )
    assert on_top
    return amount.inner_text(), str(box)
