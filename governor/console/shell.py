"""What stands around every page: where one is, who one is, what waits elsewhere, and what stops."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from governor.console.look import Look
from governor.console.page import Group, HowMany, Page
from governor.domain.credentials import Role
from governor.domain.environments import Environment
from governor.domain.freezes import Freeze


@dataclass(frozen=True)
class Entry:
    """A page in the navigation. `count` is how many things wait there; None where nobody counts, or nobody can."""

    label: str
    address: str
    count: HowMany | None
    is_here: bool


@dataclass(frozen=True)
class Shell:
    """The surroundings of a page in one environment. `said` is what was just done, told once."""

    environment: Environment
    freezes: tuple[Freeze, ...]
    others: tuple[str, ...]
    roles: frozenset[Role]
    acting_as: Role
    entries: Sequence[tuple[Group, tuple[Entry, ...]]]
    person: str
    look: Look
    here: str
    said: str | None

    @property
    def count(self) -> HowMany:
        """Everything that waits for this visitor."""
        counts = [entry.count for _, entries in self.entries for entry in entries if entry.count is not None]
        return HowMany(sum(one.number for one in counts), all(one.are_all for one in counts))


def entries_for(
    pages: Sequence[Page],
    roles: frozenset[Role],
    here: Page,
    address: Callable[[Page], str],
    count: Callable[[Page], HowMany | None],
) -> tuple[tuple[Group, tuple[Entry, ...]], ...]:
    """The navigation of somebody with these roles: the pages with a label that they may see, by group."""
    found: dict[Group, list[Entry]] = {group: [] for group in Group}
    for page in pages:
        role = page.role_of(roles)
        if page.label is None or page.group is None or role not in page.shelved_for:
            continue
        is_here = page.rule == here.rule or here.rule.startswith(f"{page.rule}/")
        found[page.group].append(Entry(page.label, address(page), count(page), is_here))
    return tuple((group, tuple(entries)) for group, entries in found.items() if entries)


def home_of(pages: Sequence[Page], roles: frozenset[Role]) -> Page:
    """Where somebody with these roles begins: at the page made for one of them, else at the first they may see."""
    seen = [page for page in pages if page.label is not None and page.role_of(roles) is not None]
    return next((page for page in seen if roles & set(page.home_of)), seen[0])
