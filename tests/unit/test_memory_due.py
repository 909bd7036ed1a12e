from datetime import timedelta

from adapters.memory import waiting
from adapters.memory.tables import Tables
from governor.domain.freezes import Freeze
from governor.domain.limits import Scope
from governor.domain.second_person import Word
from tests.unit.values import NOON, replaced, request

STOP = Word("ana", "cred_ana", "too many", NOON)


def test_the_store_in_memory_offers_nothing_that_is_frozen() -> None:
    """As PostgreSQL does: the simulator must not find a request that no worker would."""
    tables, waits = Tables(), request(due_at=NOON)
    tables.requests[waits.environment, waits.id] = waits
    freeze = Freeze("frz_1", Scope.CUSTOMER, waits.customer, STOP)
    tables.freezes[waits.environment, freeze.id] = freeze
    later = NOON + timedelta(hours=1)
    assert waiting.due(tables, waits.environment, later) == []
    tables.freezes[waits.environment, freeze.id] = replaced(freeze, proposed=STOP, ended=STOP)
    assert waiting.due(tables, waits.environment, later) == [waits]
