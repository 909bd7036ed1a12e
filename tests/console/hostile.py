"""What somebody writes who wants a page to run it, or its reader to misread it (fixtures/hostile_texts.json)."""

from __future__ import annotations

import json
from typing import NamedTuple

from tests.architecture.tree import ROOT


class Text(NamedTuple):
    """One text; `kind` is `script` or `deceiving`."""

    name: str
    kind: str
    text: str


TEXTS = [
    Text(**one) for one in json.loads((ROOT / "fixtures" / "hostile_texts.json").read_text(encoding="utf-8"))
]
SCRIPTS = [one for one in TEXTS if one.kind == "script"]
DECEIVING = [one for one in TEXTS if one.kind == "deceiving"]
AT_MOST = 2000
"""The longest note."""


def bundles(texts: list[Text]) -> list[str]:
    """All texts in as few notes as they fit into."""
    found = [""]
    for one in texts:
        if len(found[-1]) + len(one.text) >= AT_MOST:
            found.append("")
        found[-1] += f"{one.text}\n"
    return found
