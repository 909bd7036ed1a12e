"""The provider's list of events: what is asked, and that half a list is none."""

from __future__ import annotations

from datetime import timedelta
from urllib.parse import parse_qsl, urlsplit

import pytest

from governor.domain.errors import Unavailable
from governor.ports.provider import EVENT_TYPES
from tests.stripe.bodies import NOW, STRIPE_SAYS, error, page, provider_at
from tests.stripe.scripted import ScriptedServer, Step, close, raw, reply, write
from tests.stripe.webhooks import event

FIRST = page(event(id="evt_2"), has_more=True)


def test_the_types_that_matter_are_asked_for_page_by_page_from_the_whole_second_on() -> None:
    pages = [reply(200, body, STRIPE_SAYS) for body in (FIRST, page(event(id="evt_1")))]
    with ScriptedServer(*pages) as server:
        found = provider_at(server.url).list_events_since(NOW + timedelta(milliseconds=900))
    assert [one.id for one in found] == ["evt_2", "evt_1"]
    asked = [parse_qsl(urlsplit(call.path).query) for call in server.requests]
    assert {call.method for call in server.requests} == {"GET"}
    for query in asked:
        assert {value for name, value in query if name.startswith("types")} == EVENT_TYPES
        assert ("created[gte]", str(int(NOW.timestamp()))) in query
    assert ("starting_after", "evt_2") in asked[1]


@pytest.mark.parametrize(
    "second",
    [
        close,
        reply(500, error("api_error"), STRIPE_SAYS),
        reply(429, error("rate_limit_error"), STRIPE_SAYS),
        reply(200, FIRST, STRIPE_SAYS),
        reply(200, {"object": "list"}, STRIPE_SAYS),
        reply(200, page(event(id="re_1")), STRIPE_SAYS),
        reply(200, page(event(object="v2.core.event")), STRIPE_SAYS),
        write(raw(200, page(event(id="evt_1")))[:-20]),
    ],
)
def test_a_list_that_was_not_read_to_its_end_is_no_list(second: Step) -> None:
    """RELIABILITY G6, for events: what was missed must not count as walked."""
    with ScriptedServer(reply(200, FIRST, STRIPE_SAYS), second) as server:
        with pytest.raises(Unavailable) as refusal:
            provider_at(server.url).list_events_since(NOW)
        assert "TRAP" not in str(refusal.value)
    assert len(server.requests) == 2
