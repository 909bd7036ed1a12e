"""The console's own files: what they are, and how they are served."""

import hashlib
import re
from pathlib import Path

import pytest
from flask import Flask

from governor.console.assets import ASSETS, FILES, with_system_theme
from tests.console.browsing import Visitor

STATIC = Path(__file__).parents[2] / "governor" / "console" / "static"
VENDOR = STATIC / "vendor"


def test_the_files_of_others_are_the_ones_that_were_published() -> None:
    lines = (VENDOR / "hashes.txt").read_text(encoding="utf-8").splitlines()
    pinned = {
        name: digest for digest, name, _ in (line.split() for line in lines if not line.startswith("#"))
    }
    found = {path.name for path in VENDOR.iterdir() if path.suffix != ".txt"}
    assert set(pinned) == found
    assert len(found) == 2
    for name, digest in pinned.items():
        assert hashlib.sha256((VENDOR / name).read_bytes()).hexdigest() == digest, name
        licence = VENDOR / f"{name.partition('.')[0]}-LICENSE.txt"
        assert "Permission" in licence.read_text(encoding="utf-8")


def test_every_file_is_served_or_a_licence() -> None:
    here = {path.name for path in STATIC.rglob("*") if path.is_file() and path.suffix != ".txt"}
    assert here == set(FILES)


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_file_may_be_kept_for_ever_because_its_address_names_its_content(app: Flask, name: str) -> None:
    got = Visitor(app).get(ASSETS[name].address)
    assert got.status == 200
    assert got.response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert got.response.headers["X-Content-Type-Options"] == "nosniff"
    assert hashlib.sha256(got.response.data).hexdigest()[:16] in ASSETS[name].address


@pytest.mark.parametrize(
    "address",
    [
        "/console/static/0000000000000000/console.css",
        "/console/static/0000000000000000/hashes.txt",
        "/console/static/0000000000000000/..",
        "/console/static/vendor/htmx.min.js",
        "/console/static/console.css",
    ],
)
def test_nothing_else_is_served(app: Flask, address: str) -> None:
    assert Visitor(app).get(address).status == 404


def test_what_is_dark_by_choice_is_dark_by_the_system_too() -> None:
    css = ASSETS["console.css"].content.decode()
    chosen = re.findall(r"\[data-bs-theme=dark\]([^{]*\{[^}]*\})", css)
    system = css.partition("@media (prefers-color-scheme:dark){")[2]
    assert len(chosen) > 2
    for rule in chosen:
        assert f"[data-bs-theme=system]{rule}" in system
    assert with_system_theme("a{b:c}") == "a{b:c}"
    assert css.count("{") == css.count("}")


def test_no_script_and_no_style_makes_text_into_code_or_reaches_elsewhere() -> None:
    """RELIABILITY §5.2 T25, T51: nothing is evaluated, nothing is kept in the browser's storage."""
    for name in ("console.js", "trust.js", "console.css"):
        text = (STATIC / name).read_text(encoding="utf-8")
        assert not re.search(
            r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|localStorage"
            r"|sessionStorage|indexedDB|https?://|@import|url\(",
            text,
        ), name
