"""A page as one value: where it is, who may see it, and where the navigation leads to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum

from flask import Response

from governor.console.application import UseCases
from governor.console.fields import Form
from governor.domain.credentials import Role
from governor.usecases.callers import Caller

READING = frozenset({"GET", "HEAD"})
"""Methods that only look."""

EVERYONE = (Role.OPERATOR, Role.APPROVER, Role.AUDITOR, Role.AGENT)
"""Whoever has several roles looks as the first of these, which sees most."""


class Group(StrEnum):
    """The headings of the navigation, in their order."""

    REFUNDS = "Refunds"
    APPROVALS = "Approvals"
    OPERATIONS = "Operations"
    RULES = "Limits and rules"
    PEOPLE = "People and keys"
    AUDIT = "Audit"


@dataclass(frozen=True)
class HowMany:
    """A number of things; where not all were looked through it is the least that there are: "180+"."""

    number: int
    are_all: bool = True

    def __str__(self) -> str:
        return str(self.number) if self.are_all else f"{self.number}+"

    def __bool__(self) -> bool:
        return bool(self.number) or not self.are_all


@dataclass(frozen=True)
class Page:
    """One method of one address below `/console/e/<environment>`.

    `handler` gets the Visit and the arguments of the rule. `roles` are those who may, in the order in which somebody
    with several of them acts; nobody else does. `query` names the query parameters it knows; a `listing` comes in
    pages. `form` is what a POST reads, and what its GET twin at the same address shows.

    With a `label` it stands in the navigation under `group` for all of them, or for those of `shelved_for`, with `count` behind it: how many things wait there for
    this visitor. `home_of` are the roles that begin here. `finds` leads the search to it: pairs of an id's prefix
    and the argument that takes the id, of the rule or of the query. What `is_file` is taken home, and not shown.
    """

    method: str
    rule: str
    handler: Callable[..., Response]
    roles: tuple[Role, ...]
    title: str
    query: tuple[str, ...] = ()
    listing: bool = False
    form: Form | None = None
    group: Group | None = None
    label: str | None = None
    shelved_for: tuple[Role, ...] = EVERYONE
    count: Callable[[UseCases, Caller], HowMany] | None = None
    home_of: tuple[Role, ...] = ()
    finds: tuple[tuple[str, str], ...] = ()
    is_file: bool = False

    @property
    def parameters(self) -> tuple[str, ...]:
        """Every query parameter that may be sent."""
        return (*self.query, "limit", "after") if self.listing else self.query

    @property
    def endpoint(self) -> str:
        """A name for the framework and for the trail of refusals: `console.post_refund_requests`."""
        words = self.rule.strip("/").replace("<", "").replace(">", "")
        return f"console.{self.method.lower()}_{words.replace('/', '_').replace('-', '_')}"

    def role_of(self, roles: frozenset[Role]) -> Role | None:
        """As which of their roles somebody is here; None when they may not be."""
        return next((role for role in self.roles if role in roles), None)
