"""The command `governor docs`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import click

from governor.cli.docs import reference, states
from governor.cli.docs.markdown import drawings_in, redrawn
from governor.cli.saying import REFUSED, Group, Said

DRAWINGS: Final[Mapping[str, Callable[[], str]]] = {
    "states-picture": states.picture,
    "states": states.states_table,
    "events": states.events_table,
    "problems": reference.problems_table,
    "routes": reference.routes_table,
    "settings": reference.settings_table,
    "commands": reference.commands_table,
    "messages": reference.messages_table,
    "figures": reference.figures_table,
}
"""Name of a marked place in a page → what is drawn there."""


@click.group(cls=Group)
def docs() -> None:
    """The project's own documentation."""


@docs.command()
@click.option("--check", is_flag=True, help="Change nothing; exit 1 when a page is not as the code draws it.")
@click.option(
    "--root",
    default=Path(),
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    help="The project's folder; by default the one you are in.",
)
def draw(check: bool, root: Path) -> Said:
    """Draw the marked places of README.md and docs/ anew from the tables in the code."""
    stale = {path: new for path in pages(root) if (new := _drawn(path)) != path.read_text(encoding="utf-8")}
    if not check:
        for path, text in stale.items():
            path.write_text(text, encoding="utf-8")
    names = [path.relative_to(root).as_posix() for path in stale]
    said = {"differs" if check else "drawn": names}
    if not names:
        return Said(said, "Every page is as the code draws it.")
    if check:
        return Said(said, f"Not as the code draws it: {', '.join(names)}. Run `governor docs draw`.", REFUSED)
    return Said(said, f"Drawn anew: {', '.join(names)}.")


def pages(root: Path) -> list[Path]:
    """The pages of a project that have places for drawings.

    Raises:
        click.UsageError: there are none, so this is not the project's folder.
    """
    found = [root / "README.md", *sorted((root / "docs").glob("*.md"))]
    marked = [path for path in found if path.exists() and drawings_in(path.read_text(encoding="utf-8"))]
    if not marked:
        raise click.UsageError(f"{root.resolve()} has no page with drawings; name the project with --root")
    return marked


def _drawn(path: Path) -> str:
    page = path.read_text(encoding="utf-8")
    unknown = sorted(set(drawings_in(page)) - set(DRAWINGS))
    if unknown:
        raise click.UsageError(f"{path.name} asks for drawings that do not exist: {', '.join(unknown)}")
    return redrawn(page, DRAWINGS)
