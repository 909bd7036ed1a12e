"""A raise that somebody has proposed, for whoever is to say a word about it."""

from governor.domain.limit_changes import LimitChange
from governor.domain.limits import Limit
from governor.domain.second_person import Word
from tests.builders import World


def word_path(world: World, limit: Limit, verb: str) -> str:
    """Where to confirm or withdraw a raise of this limit, which the world's own operator has proposed."""
    with world.app.store.environment(world.environment) as tx:
        speaker = world.operator.credential
        change = LimitChange(
            id=f"chg_{limit.id.removeprefix('lim_')}",
            limit=limit.id,
            cap=limit.cap + 1,
            approval_above=None,
            archives=False,
            raises=True,
            effective_at=tx.now,
            until=None,
            proposed=Word(speaker.owner, speaker.id, "more", tx.now),
            decided_at=None,
        )
        tx.add_limit_change(change)
    return f"/limits/{limit.id}/changes/{change.id}/{verb}"
