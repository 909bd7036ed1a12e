"""A browser page that is watched: whatever goes wrong in it while a test runs fails the test."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from playwright.sync_api import BrowserContext, ConsoleMessage, Dialog, Error, Page

AXE = (Path(__file__).parent / "axe" / "axe.min.js").read_text(encoding="utf-8")
_LISTEN = """
window.__refused = [];
document.addEventListener('securitypolicyviolation', (event) =>
    window.__refused.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sample}`));
"""
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
WIDE, NARROW = 1280, 375
HEIGHT = 800
_SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
NARROWEST = 320
"""WCAG 1.4.10: nothing needs scrolling sideways in 320 CSS pixels."""


@dataclass
class Watch:
    """What went wrong in one browser context."""

    wrong: list[str] = field(default_factory=list)
    expected: list[str] = field(default_factory=list)
    """Parts of messages that a test causes on purpose."""

    def over(self, context: BrowserContext) -> None:
        """Watch everything that opens in a context."""
        context.add_init_script(_LISTEN)
        context.on("console", self._message)
        context.on("weberror", lambda error: self.wrong.append(f"error: {error.error}"))
        context.on("dialog", self._dialog)

    def expect(self, part: str) -> None:
        """A message with these words is what the test wants to see."""
        self.expected.append(part)

    def _message(self, message: ConsoleMessage) -> None:
        if message.type in {"error", "warning"}:
            self.wrong.append(f"{message.type}: {message.text}")

    def _dialog(self, dialog: Dialog) -> None:
        self.wrong.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def verdict(self, pages: list[Page]) -> list[str]:
        """Everything that went wrong since the last verdict and was not expected."""
        for page in pages:
            try:
                refused = page.evaluate("window.__refused.splice(0)")
            except Error:  # a page that was closed while it was loading
                continue
            self.wrong += [f"policy: {one}" for one in refused]
        wrong, self.wrong = self.wrong, []
        return [one for one in wrong if not any(part in one for part in self.expected)]


def check_page(page: Page) -> None:
    """Accessible in light and dark, wide and narrow, and nowhere to be scrolled sideways."""
    found: list[str] = []
    page.evaluate(AXE)  # here, and not in every page that is only passed through: it is half a megabyte
    for width in (WIDE, NARROW):
        page.set_viewport_size({"width": width, "height": HEIGHT})
        for scheme in _SCHEMES:
            page.emulate_media(color_scheme=scheme)
            found += [f"{scheme}, {width} wide: {one}" for one in _violations(page)]
    page.set_viewport_size({"width": NARROWEST, "height": HEIGHT})
    wide = page.evaluate("document.documentElement.scrollWidth")
    if wide > NARROWEST:
        found.append(f"needs {wide} pixels where there are {NARROWEST}: {_widest(page)}")
    found += [f"hangs out of its sheet: {one}" for one in _hanging(page)]
    page.emulate_media(color_scheme="light")
    page.set_viewport_size({"width": WIDE, "height": HEIGHT})
    assert found == [], "\n".join(found)


def _violations(page: Page) -> list[str]:
    """What axe finds, each with the elements and the reason."""
    result: dict[str, Any] = page.evaluate(
        "(tags) => axe.run(document, {runOnly: {type: 'tag', values: tags}, resultTypes: ['violations']})",
        TAGS,
    )
    return [
        f"{one['id']}: {node['html'][:160]} {node['failureSummary']}"
        for one in result["violations"]
        for node in one["nodes"]
    ]


def _hanging(page: Page) -> list[str]:
    """Boxes to tick that stand left of where their sheet's words begin."""
    return list(
        page.evaluate(
            """() => [...document.querySelectorAll('.sheet .form-check-input')]
                .filter((one) => {
                    const sheet = one.closest('.sheet');
                    const padding = parseFloat(getComputedStyle(sheet).paddingLeft);
                    const begins = sheet.getBoundingClientRect().left + padding;
                    return one.checkVisibility() && one.getBoundingClientRect().left < begins - 1;
                })
                .slice(0, 5).map((one) => one.outerHTML.slice(0, 120))"""
        )
    )


def _widest(page: Page) -> list[str]:
    return list(
        page.evaluate(
            """() => [...document.querySelectorAll('body *')]
                .filter((one) => one.getBoundingClientRect().right > window.innerWidth + 1)
                .slice(0, 5).map((one) => one.outerHTML.slice(0, 120))"""
        )
    )
