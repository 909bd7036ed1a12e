"""All verbs about messages out, as one application offers them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta

from governor.domain.endpoints import Reach
from governor.ports.couriers import Box, Couriers
from governor.ports.messages import EndpointStore, Outgoing
from governor.ports.world import IdFactory
from governor.usecases.deliver_messages import DeliverMessages
from governor.usecases.forget_messages import ForgetMessages
from governor.usecases.manage_endpoints import ManageEndpoints
from governor.usecases.see_endpoints import SeeEndpoints
from governor.usecases.tell_endpoints import TellEndpoints


@dataclass(frozen=True)
class Messages:
    """Setting endpoints up, looking at them, telling them what happened, carrying it there, and forgetting it at last."""

    endpoints: ManageEndpoints
    see: SeeEndpoints
    tell: TellEndpoints
    deliver: DeliverMessages
    forget: ForgetMessages


def messages(
    store: EndpointStore,
    outgoing: Outgoing,
    ids: IdFactory,
    box: Box,
    couriers: Couriers,
    *,
    console_url: str | None,
    kept: timedelta,
    reach: Reach,
) -> Messages:
    """The verbs, wired."""
    return Messages(
        endpoints=ManageEndpoints(store, ids, box, couriers, reach),
        see=SeeEndpoints(store, box),
        tell=TellEndpoints(outgoing, ids),
        deliver=DeliverMessages(store, outgoing, couriers, box, console_url),
        forget=ForgetMessages(store, outgoing, kept),
    )
