"""The ranges of an environment's settings are one for whoever changes them, and the database's."""

import pytest
from sqlalchemy import exc, text

from governor.domain.environments import (
    LEAST_APPROVAL_SECONDS,
    LEAST_RATE,
    MOST_APPROVAL_SECONDS,
    MOST_RATE,
    Mode,
)
from governor.domain.errors import Invalid
from governor.usecases.change_environment import EnvironmentDraft
from tests.builders import World
from tests.unit.values import replaced

DRAFT = EnvironmentDraft(Mode.ENFORCE, 25, 3600)

#   setting             least                    most
RANGES = [
    ("rate_per_second",  LEAST_RATE,              MOST_RATE),
    ("approval_seconds", LEAST_APPROVAL_SECONDS,  MOST_APPROVAL_SECONDS),
]  # fmt: skip


@pytest.mark.parametrize(("setting", "least", "most"), RANGES)
def test_what_cannot_be_is_refused_by_whom_ever_it_is_set(
    world: World, setting: str, least: int, most: int
) -> None:
    change = world.app.change_environment
    for value in (least - 1, most + 1):
        with pytest.raises(Invalid) as refused:
            change(world.operator, replaced(DRAFT, **{setting: value}), 1)
        assert [one.pointer for one in refused.value.errors] == [f"/{setting}"]
        with pytest.raises(Invalid):
            change.found("another", replaced(DRAFT, **{setting: value}))
    for value in (least, most):
        with world.app.store.reading() as reads:
            revision = next(one.revision for one in reads.environments() if one.name == world.environment)
        changed = change(world.operator, replaced(DRAFT, **{setting: value}), revision)
        assert getattr(changed, setting) == value


@pytest.mark.parametrize(("setting", "least", "most"), RANGES)
def test_the_database_has_the_same_ranges(world: World, setting: str, least: int, most: int) -> None:
    def kept(value: int) -> bool:
        with world.app.engine.connect() as connection:
            try:
                connection.execute(text(f"UPDATE environments SET {setting} = {value}"))  # noqa: S608  words of this file
            except exc.IntegrityError:
                return False
            return True  # And taken back with the end of the transaction.

    assert world.operator.environment == world.environment, "there is one"
    assert [kept(value) for value in (least - 1, least, most, most + 1)] == [False, True, True, False]
