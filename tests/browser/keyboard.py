"""Hands on the keyboard, and nowhere else."""

from __future__ import annotations

from playwright.sync_api import Page

FAR = 120
"""More stops than any page has."""


def tab_to(page: Page, words: str) -> None:
    """Press Tab until what these words name, or begin, has the focus."""
    for _ in range(FAR):
        page.keyboard.press("Tab")
        named = page.evaluate(
            "document.activeElement.labels?.[0]?.innerText ?? document.activeElement.innerText ?? ''"
        )
        if named.strip().startswith(words):
            return
    raise AssertionError(f"no tab leads to {words!r}")


def press(page: Page, words: str) -> None:
    """Go to what these words name, press Enter there, and be where it leads."""
    tab_to(page, words)
    with page.expect_navigation():
        page.keyboard.press("Enter")


def write(page: Page, label: str, text: str) -> None:
    """Go to a field, and type into it."""
    tab_to(page, label)
    page.keyboard.type(text)


def find(page: Page, wanted: str) -> None:
    """Look for something from wherever one is."""
    page.keyboard.press("/")
    page.keyboard.type(wanted)
    with page.expect_navigation():
        page.keyboard.press("Enter")
