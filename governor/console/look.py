"""How somebody likes to look at the console: light or dark, comfortable or compact, with or without shortcuts."""

from __future__ import annotations

from dataclasses import dataclass, fields

COOKIE = "governor-look"
KEPT_SECONDS = 365 * 24 * 3600

THEMES = ("system", "light", "dark")
DENSITIES = ("comfortable", "compact")
SHORTCUTS = ("on", "off")


@dataclass(frozen=True)
class Look:
    """What was chosen; the first of each is where nobody chose."""

    theme: str = THEMES[0]
    density: str = DENSITIES[0]
    shortcuts: str = SHORTCUTS[0]

    def spelled(self) -> str:
        """As the cookie keeps it."""
        return ".".join(getattr(self, one.name) for one in fields(self))


def look_of(cookie: str | None) -> Look:
    """What a cookie says; whatever it says wrongly is as if nobody had chosen."""
    said = (cookie or "").split(".")
    if len(said) != len(fields(Look)):
        return Look()
    return look_from(dict(zip(("theme", "density", "shortcuts"), said, strict=True)))


def look_from(chosen: dict[str, str]) -> Look:
    """A look out of answers by name, each only when it is one of those that exist."""
    theme, density, shortcuts = (chosen.get(name, "") for name in ("theme", "density", "shortcuts"))
    return Look(
        theme if theme in THEMES else THEMES[0],
        density if density in DENSITIES else DENSITIES[0],
        shortcuts if shortcuts in SHORTCUTS else SHORTCUTS[0],
    )
