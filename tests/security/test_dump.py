"""T33: who reads the database, or a backup of it, learns no secret. In a world of its own: nothing is pasted here."""

import base64

from tests.api.conftest import app as app
from tests.api.conftest import people as people
from tests.api.conftest import world as world
from tests.api.ownership import described
from tests.api.people import People, Person
from tests.api.samples import call_of
from tests.api.scenes import stage
from tests.builders import PEPPER, STRIPE_KEY, World
from tests.security.leaks import database, scene_of


def test_a_dump_of_the_database_holds_no_secret_and_no_address(people: People, world: World) -> None:
    """After everything was done once that can be done, with the keys of everybody who did it."""
    stage(world)
    keys = {getattr(people, name).key for name in ("agent", "supporter", "approver", "operator", "auditor")}
    for route in sorted(described()):
        scene = scene_of(world, route)
        keys.add(scene.key)
        call = call_of(route, scene, "own")
        got = Person(people.wire, scene.key).send(route[0], call.path, call.body, **call.headers)
        assert got.status < 500
        if b'"key":"gvk_' in got.body:
            keys.add(got.json["key"])
    assert len(keys) > len(described())
    dump = database(world)
    assert "cus_held" in dump, "it is all there"
    assert "@" not in dump.replace("postgres@", ""), "not one address"
    for secret in (PEPPER, STRIPE_KEY, *(key.removeprefix("gvk_test_").partition("_")[2] for key in keys)):
        written = (secret, base64.b64encode(secret.encode()).decode().rstrip("="), secret.encode().hex())
        assert not [one for one in written if one in dump]
