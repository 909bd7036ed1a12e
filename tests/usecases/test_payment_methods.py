"""The database keeps of a payment's method what people recognise it by, and can keep no more digits than four."""

import json

import pytest
from sqlalchemy import exc, text

from tests.builders import World

# fmt: off
METHODS = [
    ({"type": "card", "brand": "visa", "last4": "4242"},  True),
    ({"type": "konbini", "brand": None, "last4": None},   True),
    (None,                                                True),
    ({"type": "card", "last4": "4242424242424242"},       False),
    ({"type": "card", "last4": "visa"},                   False),
    ({"brand": "visa"},                                   False),
    ({"type": "Somebody's card"},                         False),
    ("4242424242424242",                                  False),
]
# fmt: on


def test_no_number_of_a_card_can_be_kept(world: World) -> None:
    world.limit(1000)
    world.request(world.caller(), world.payment(5000), 100)
    for method, fits in METHODS:
        with world.app.engine.connect() as connection:
            change = text("UPDATE payments SET method = CAST(:method AS jsonb)")
            sent = {"method": None if method is None else json.dumps(method)}
            if fits:
                assert connection.execute(change, sent).rowcount == 1
            else:
                with pytest.raises(exc.IntegrityError):
                    connection.execute(change, sent)
