"""The common form of everything that callers get back."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from pydantic import BaseModel, ConfigDict, PlainSerializer, WithJsonSchema


def instant(at: datetime) -> str:
    """RFC 3339 in UTC with `Z`."""
    return at.astimezone(UTC).isoformat().replace("+00:00", "Z")


Time = Annotated[
    datetime,
    PlainSerializer(instant, return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


class Output(BaseModel):
    """A JSON object that governor answers with. Readers must expect more members later: enums are open."""

    model_config = ConfigDict(frozen=True)
