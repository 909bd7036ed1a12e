"""What operators may send about limits: what they shall allow, from when, until when, and why."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field, StrictBool, StrictInt

from governor.api.inputs import CapIn, Input, Instant, Text, Word
from governor.domain.limits import Measure, Scope
from governor.domain.money import MAX_CAP
from governor.domain.windows import MAX_ROLLING_DAYS, WindowKind
from governor.usecases.limit_series import Saying


class LimitIn(CapIn):
    """An operator's cap: scope × measure × currency × window."""

    scope: Scope
    value: Word | None = None


class NewLimitIn(LimitIn):
    """A limit to be made, and why, where the environment asks for it."""

    reason: Text = ""


class LimitChangeIn(Input):
    """A limit with changes. What is left out stays; only cap and threshold may differ from what stands.

    The change counts from `effective_at` on (at once when left out), before `until` (for good when left out), whatever
    else is said meanwhile for a time only. `change` and `pending` are taken back as they were read, and say nothing.
    """

    id: Word | None = None
    revision: Annotated[StrictInt, Field(ge=1, le=MAX_CAP)] | None = None
    archived: StrictBool | None = None
    scope: Scope | None = None
    value: Word | None = None
    measure: Measure | None = None
    currency: str | None = None
    window: WindowKind | None = None
    window_days: Annotated[StrictInt, Field(ge=1, le=MAX_ROLLING_DAYS)] | None = None
    time_zone: Word | None = None
    cap: Annotated[StrictInt, Field(ge=0, le=MAX_CAP, default_factory=int)]
    approval_above: Annotated[StrictInt, Field(ge=0, le=MAX_CAP)] | None = None
    reason: Text = ""
    effective_at: Instant | None = None
    until: Instant | None = None
    change: str | None = None
    pending: list[dict[str, Any]] | None = None

    def said(self) -> Saying:
        """Why, and for when."""
        return Saying(self.reason, self.effective_at, self.until)

    def wanted(self) -> dict[str, Any]:
        """What the limit shall be, as far as it is said."""
        beside = {"reason", "effective_at", "until", "change", "pending"}
        return self.model_dump(exclude_unset=True, exclude=beside)


class ReasonIn(Input):
    """Why a limit is archived, or a change of it confirmed or withdrawn."""

    reason: Text = ""
