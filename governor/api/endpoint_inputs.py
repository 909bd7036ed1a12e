"""What operators may send about endpoints."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, StringConstraints

from governor.api.inputs import Input, Word
from governor.domain.endpoints import LONGEST_URL, MOST_RECIPIENTS, EndpointKind
from governor.domain.messages import TYPES
from governor.usecases.manage_endpoints import EndpointDraft

_Line = Annotated[str, StringConstraints(pattern=r"^[^\x00-\x1f\x7f]{1,200}$")]


class EndpointIn(Input):
    """A new endpoint: a `url` for the kinds webhook and slack, addresses in `to` for email. No `types` means all."""

    kind: EndpointKind = EndpointKind.WEBHOOK
    url: Annotated[str, Field(max_length=LONGEST_URL)] | None = None
    to: Annotated[tuple[str, ...], Field(max_length=MOST_RECIPIENTS)] = ()
    types: Annotated[tuple[Word, ...], Field(max_length=len(TYPES))] = ()
    description: _Line | None = None

    def draft(self) -> EndpointDraft:
        """What is asked for."""
        return EndpointDraft(**vars(self))
