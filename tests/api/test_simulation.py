"""Simulation over HTTP."""

from typing import Any

import pytest

from tests.api.people import People
from tests.builders import World

PATH = "/rules/simulate"
CSV = (
    "id,amount,currency,created,status,payment_intent,customer\n"
    "re_1,9.00,usd,2026-11-01 10:00:00,succeeded,pi_1,cus_1\n"
    "re_2,9.00,usd,2026-11-01 11:00:00,succeeded,pi_2,cus_1\n"
)
LIMIT = {"scope": "environment", "measure": "amount", "currency": "usd", "window": "day", "cap": 100_000}
RULE = {
    "name": "two in a day",
    "when": {
        "currency": "usd",
        "cumulative": {"scope": "customer", "measure": "count", "window": "day", "at_least": 2},
    },
    "then": {"effect": "approval"},
}


def test_a_csv_is_replayed_against_what_is_proposed(people: People) -> None:
    got = people.operator.send(
        "POST", PATH, {"csv": CSV, "limits": [LIMIT], "rules": [RULE]}, Idempotency_Key=None
    )
    assert (got.status, got.json["asked"], got.json["is_whole"]) == (200, 2, True)
    (change,) = got.json["changes"]
    assert change == {"before": "let_through", "after": "held", "count": 1, "sums": {"usd": 900}}
    assert got.json["days"] == [
        {
            "day": "2026-11-01",
            "before": {"let_through": 2, "held": 0, "denied": 0},
            "after": {"let_through": 1, "held": 1, "denied": 0},
        }
    ]
    assert got.json["fired"] == [{"rule": "two in a day", "fired": 1}]
    (example,) = got.json["examples"]
    assert (example["id"], example["denial"], example["rules"][0]["name"]) == ("re_2", None, "two in a day")


def test_the_last_days_are_replayed_against_what_is_in_force(people: People, world: World) -> None:
    world.limit(1_000_000)
    people.agent.post("/refund-requests", {"payment": world.payment(5000), "amount": 100, "currency": "usd"})
    got = people.auditor.send("POST", PATH, {}, Idempotency_Key=None).json
    assert got["asked"] >= 1
    verdicts = {one["verdict"]: (one["before"], one["after"]) for one in got["verdicts"]}
    assert set(verdicts) == {"let_through", "held", "denied"}


#   what is sent                                          the field that is wrong
REFUSED: list[tuple[dict[str, Any], str]] = [
    # RELIABILITY §4, 153: ten years are no question to wait for.
    ({"days": 3650},                                      "/days"),
    ({"days": 0},                                         "/days"),
    ({"days": 30, "csv": CSV},                            "/days"),
    ({"csv": "id,amount\n"},                              "/csv"),
    ({"csv": CSV + "re_3,9,00,usd,x\n"},                  "/csv"),
    ({"csv": CSV, "limits": [{**LIMIT, "currency": None}]}, "/limits/0/currency"),
    ({"csv": CSV, "rules": [{**RULE, "name": ""}]},       "/rules/0/name"),
    ({"csv": CSV, "rules": [RULE] * 51},                  "/rules"),
    ({"csv": CSV, "policy": "loose"},                     "/policy"),
]  # fmt: skip


@pytest.mark.parametrize(("sent", "pointer"), REFUSED)
def test_what_cannot_be_replayed_is_refused(people: People, sent: dict[str, Any], pointer: str) -> None:
    got = people.operator.post(PATH, sent)
    assert (got.status, got.code) == (422, "validation_failed")
    assert [one["pointer"] for one in got.json["errors"]] == [pointer]
