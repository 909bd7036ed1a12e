"""For every argument of a page's rule, something of a world that the page can show.

Whoever adds a page with a new argument adds an id for it here: the tests of every page then visit it.
"""

from __future__ import annotations

from tests.builders import World


def examples(world: World) -> dict[str, str]:
    """Argument of a rule → an id in this world. The amounts in it fit any limit."""
    world.limit(1_000_000)
    payment = world.payment(5000, customer="cus_example")
    request = world.request(world.caller(), payment, 500, case="ZD-1", note="It came broken.")
    return {"request_id": request.id}


def address_of(environment: str, rule: str, ids: dict[str, str]) -> str:
    """The address of a page with these ids."""
    path = rule
    for argument, value in ids.items():
        path = path.replace(f"<{argument}>", value)
    assert "<" not in path, f"{rule} has an argument without an example in tests/console/examples.py"
    return f"/console/e/{environment}{path}"
