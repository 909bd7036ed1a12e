from datetime import datetime, timedelta

import pytest

from governor.domain.admission import Denial, NextAction, decide
from governor.domain.limits import Limit, Measure, Usage
from governor.domain.windows import WindowKind
from tests.unit.values import NOON, ask, limit, replaced, situation

TOMORROW = NOON.replace(hour=0) + timedelta(days=1)
NEXT_MONTH = NOON.replace(month=12, day=1, hour=0)
LIFE, EACH = WindowKind.LIFETIME, WindowKind.REQUEST
COUNT_OF_ONE = limit(id="lim_c", measure=Measure.COUNT, cap=1)

#   full limits (each has 60 taken, 100 are asked)                     what to do                      until
AFTER_LIMITS = [
    ([limit(cap=120)],                                                 NextAction.WAIT_UNTIL,          TOMORROW),
    ([limit(cap=120), limit(id="lim_m", cap=120, window=WindowKind.MONTH)], NextAction.WAIT_UNTIL,     NEXT_MONTH),
    # An empty window would be too small, a smaller amount would fit.
    ([limit(cap=99)],                                                  NextAction.USE_SMALLER_AMOUNT,  None),
    ([limit(cap=60)],                                                  NextAction.USE_SMALLER_AMOUNT,  None),
    ([limit(cap=99), limit(id="lim_2", cap=120)],                      NextAction.USE_SMALLER_AMOUNT,  None),
    ([limit(cap=99, window=EACH)],                                     NextAction.USE_SMALLER_AMOUNT,  None),
    ([limit(cap=120, window=LIFE)],                                    NextAction.USE_SMALLER_AMOUNT,  None),
    ([limit(cap=120, window=LIFE), limit(id="lim_2", cap=120)],        NextAction.USE_SMALLER_AMOUNT,  None),
    # Nothing can ever fit.
    ([limit(cap=0)],                                                   NextAction.DO_NOT_RETRY,        None),
    ([limit(cap=0, window=EACH)],                                      NextAction.DO_NOT_RETRY,        None),
    ([limit(cap=60, window=LIFE)],                                     NextAction.DO_NOT_RETRY,        None),
    ([limit(cap=60, window=LIFE), limit(id="lim_2", cap=99)],          NextAction.DO_NOT_RETRY,        None),
    # A count is not helped by a smaller amount; a new window helps it.
    ([limit(), replaced(COUNT_OF_ONE, cap=0)],                         NextAction.DO_NOT_RETRY,        None),
    ([limit(), replaced(COUNT_OF_ONE, window=LIFE)],                   NextAction.DO_NOT_RETRY,        None),
    ([limit(), COUNT_OF_ONE],                                          NextAction.WAIT_UNTIL,          TOMORROW),
    ([limit(cap=99), COUNT_OF_ONE],                                    NextAction.USE_SMALLER_AMOUNT,  None),
]  # fmt: skip


@pytest.mark.parametrize(("limits", "action", "until"), AFTER_LIMITS)
def test_the_advice_after_a_full_limit_can_come_true(
    limits: list[Limit], action: NextAction, until: datetime | None
) -> None:
    decision = decide(ask(100), 100, situation(100, *limits, usage=Usage(settled=60)))
    assert decision.denial is Denial.LIMIT_EXCEEDED
    assert (decision.next_action, decision.next_action_at) == (action, until)
