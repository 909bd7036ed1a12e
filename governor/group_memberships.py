"""What a group at the identity provider means here: `{"refund-approvers": {"production": ["approver"]}}`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import RootModel

from governor.domain.credentials import Role


class GroupMemberships(RootModel[Mapping[str, Mapping[str, tuple[Role, ...]]]]):
    """Group → environment → roles."""

    def of(self, groups: Iterable[str]) -> frozenset[tuple[str, Role]]:
        """What somebody in these groups is: environments with roles."""
        named = [self.root[group] for group in groups if group in self.root]
        return frozenset(
            (environment, role) for places in named for environment, roles in places.items() for role in roles
        )

    def decided(self) -> frozenset[tuple[str, Role]]:
        """What the provider's groups decide about: everything else is granted by hand, and stays."""
        return self.of(self.root)
