"""The settings of a world's environment, changed in one line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.builders import World


def change_settings(world: World, **fields: Any) -> None:
    """`fields`: of governor.domain.environments. Nobody asks whether an operator could."""
    with world.app.store.environment(world.environment) as tx:
        tx.save_environment(replace(tx.here, revision=tx.here.revision + 1, **fields))
