"""Room for one more child: dead ones make place, with the limits that were theirs alone."""

from __future__ import annotations

from collections.abc import Sequence

from governor.domain.credentials import Credential
from governor.domain.delegation import MOST_BELOW, living
from governor.domain.errors import Conflict
from governor.domain.limits import Scope
from governor.domain.second_person import Word
from governor.ports.store import Transaction
from governor.ports.world import IdFactory
from governor.usecases.callers import Caller
from governor.usecases.limit_series import archive


def make_room(tx: Transaction, by: Caller, chain: Sequence[Credential], ids: IdFactory) -> None:
    """Archive the limits of dead credentials of this tree, and refuse one child too many.

    Every decision reads all limits, so those of a thousand short-lived children must not pile up. A dead
    credential asks for nothing any more; what it holds still settles in the archived counters.

    Raises:
        Conflict: `too_many_children`.
    """
    tree = tx.credential_tree(tx.here.name, chain[-1].id)
    alive = living(tree, tx.now)
    if len(alive) > MOST_BELOW:
        raise Conflict(
            "too_many_children", f"{MOST_BELOW} credentials live below yours at most; revoke some first."
        )
    dead = {one.id for one in tree} - alive
    for limit in tx.active_limits() if dead else ():
        if limit.scope is Scope.CREDENTIAL and limit.value in dead:
            said = Word(by.credential.owner, by.credential.id, "credential_dead", tx.now)
            archive(tx, by, limit, said, ids.new("chg"))
