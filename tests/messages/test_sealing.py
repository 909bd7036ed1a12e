"""What opens an endpoint is sealed for its place, under a key that is not in the database. T33."""

from collections.abc import Callable

import pytest
from pydantic import ValidationError

from adapters.outbound.box import PepperBox
from governor.domain.errors import InvariantBroken
from tests.builders import World, close, settings
from tests.messages.steps import deliveries, listen
from tests.receiver import Receiver
from workers import messenger

PLACE = "test/ep_1/target"


def test_a_seal_holds_for_its_place_and_key_alone() -> None:
    box = PepperBox(b"p" * 32)
    sealed = box.seal("https://hooks.example.com/", PLACE)
    assert box.open(sealed, PLACE) == "https://hooks.example.com/"
    assert box.seal("https://hooks.example.com/", PLACE) != sealed
    changed = sealed[:-1] + bytes([sealed[-1] ^ 1])
    attempts: list[Callable[[], str]] = [
        lambda: box.open(sealed, "test/ep_2/target"),
        lambda: PepperBox(b"q" * 32).open(sealed, PLACE),
        lambda: box.open(changed, PLACE),
        lambda: box.open(b"\x02" + sealed[1:], PLACE),
        lambda: box.open(b"", PLACE),
    ]
    for attempt in attempts:
        with pytest.raises(InvariantBroken, match="seal_broken"):
            attempt()


def test_with_another_pepper_an_endpoint_takes_nothing_and_can_still_be_deleted(
    world: World, receiver: Receiver
) -> None:
    made = listen(world, receiver)
    other = world.another_process(pepper="another-pepper-another-pepper-another", loopback_endpoints=True)
    try:
        messenger.run_once(other)
        assert receiver.calls == []
        (one,) = deliveries(world, made.endpoint)
        assert (one.last_error, one.tries) == ("seal_broken", 1)
        assert other.messages.see.one(world.operator, made.endpoint.id)[1] is None
        other.messages.endpoints.delete(world.operator, made.endpoint.id)
    finally:
        close(other)


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        (
            {"loopback_endpoints": True},
            "GOVERNOR_LOOPBACK_ENDPOINTS is refused unless the provider is the sandbox",
        ),
        ({"smtp_host": "mail.example.com"}, "GOVERNOR_SMTP_SENDER is needed"),
        (
            {"smtp_host": "mail.example.com", "smtp_sender": "g@example.com", "smtp_security": "none"},
            "GOVERNOR_SMTP_SECURITY is none only towards this machine",
        ),
        ({"smtp_sender": "g@example.com\r\nBcc: x@example.com"}, "smtp_sender"),
        ({"public_url": "javascript:alert(1)"}, "public_url"),
        ({"public_url": "https://user:pw@governor.example"}, "public_url"),
        ({"endpoint_hosts": "slack.com, example.com"}, "endpoint_hosts"),
        ({"endpoint_hosts": "https://slack.com"}, "endpoint_hosts"),
    ],
)
def test_settings_that_would_be_unsafe_stop_the_process(fields: dict[str, object], says: str) -> None:
    with pytest.raises(ValidationError, match=says):
        settings("postgresql+psycopg://nobody@127.0.0.1:1/none", "redis://127.0.0.1:1/0", **fields)
