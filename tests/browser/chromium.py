"""Finding a Chromium, and saying how to get one where there is none."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from playwright.sync_api import Browser, Playwright

NAMES = ("chromium", "chromium-browser", "google-chrome")
HOW = (
    "issue 5: a page can only be seen where there is a browser, and no Chromium was found: install one (Debian, Ubuntu: `apt-get install chromium`), or name"
    " one in GOVERNOR_CHROMIUM"
)
FLAGS = (
    # Chromium refuses its sandbox to root, which CI is; it only ever opens pages of this project.
    *(("--no-sandbox",) if os.geteuid() == 0 else ()),
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def chromium_here(playwright: Playwright | None = None) -> str | None:
    """The path of a Chromium: the one that GOVERNOR_CHROMIUM names, one on the PATH, or Playwright's own."""
    named = os.environ.get("GOVERNOR_CHROMIUM")
    if named:
        return named
    on_path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if on_path or playwright is None:
        return on_path
    own = playwright.chromium.executable_path
    return own if Path(own).exists() else None


def launched(playwright: Playwright) -> Browser | None:
    """A browser, or None where there is none; AssertionError where there must be one, which is in CI."""
    path = chromium_here(playwright)
    if path is None:
        assert not os.environ.get("CI"), HOW
        return None
    return playwright.chromium.launch(executable_path=path, args=[*FLAGS])
