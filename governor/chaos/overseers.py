"""Approvers and operators: people who decide, and who change the rules meanwhile."""

from __future__ import annotations

from typing import Any, Final

from governor.chaos.calling import Api, code_of
from governor.chaos.clients import Client, Weather
from governor.chaos.told import Vote
from governor.cli.wire import Answered

WIDE_FLOOR: Final = 200_000
NARROW_FLOOR: Final = 3_000
"""No cap is lowered further, in minor units: a storm in which everything is denied meets nothing."""


class Approver(Client):
    """Decides what waits, the oldest first, so that two of them often decide at once."""

    rest_seconds = (0.2, 0.8)

    def __init__(self, api: Api, weather: Weather, person: str) -> None:
        super().__init__(api, weather)
        self._person = person

    def step(self) -> None:
        """Decide a few."""
        answered = self.api.ask("GET", "/api/v1/holds?limit=50")
        if answered is None or answered.status != 200:
            return
        for hold in answered.body["data"][-3:]:
            self._decide(hold)

    def _decide(self, hold: dict[str, Any]) -> None:
        choice = "approve" if self.chance.random() < 0.75 else "reject"
        sent = {"decision": choice, "digest": hold["digest"], "version": hold["version"], "reason": "storm"}
        key = f"{hold['id']}-{self._person}-{choice}"
        answered = self.api.ask("POST", f"/api/v1/holds/{hold['id']}/decisions", sent, key=key)
        if answered is None:
            return
        if answered.status == 200:
            self.told.votes.append(Vote(hold["id"], self._person, choice))
        elif code_of(answered) == "hold_already_decided":
            self.told.mark("last_vote_twice_at_once")


class Operator(Client):
    """Acknowledges what stops the environment; while the storm lasts, changes limits and freezes now and then."""

    rest_seconds = (0.3, 1.2)

    def __init__(self, api: Api, weather: Weather, name: str) -> None:
        super().__init__(api, weather)
        self._prefix, self._number = name, 0

    def step(self) -> None:
        """Look at what stops the environment, then perhaps at the limits."""
        answered = self.api.ask("GET", "/api/v1/environment")
        if answered is None or answered.status != 200:
            return
        for word in ("halted_reason", "paused_reason"):
            if answered.body[word] is not None:
                self.told.mark(word.removesuffix("_reason"))
                self.api.ask("POST", "/api/v1/environment/acknowledge", {"reason": "seen in the storm"})
                break
        self._let_go_on()
        if self.weather.calm.is_set():
            return
        if self.chance.random() < 0.5:
            self._change_a_limit()
        if self.chance.random() < 0.05:
            self._freeze()

    def _freeze(self) -> None:
        """Everything, or one customer."""
        scope, value = self.chance.choice((("environment", None), ("customer", "cus_storm1")))
        sent = {"scope": scope, "value": value, "reason": "a storm"}
        answered = self.api.ask("POST", "/api/v1/environment/freeze", sent, key=self._key("freeze"))
        if answered is not None and answered.status == 200:
            self.told.mark("frozen")

    def _let_go_on(self) -> None:
        """It takes two: each says so, and the second one's word ends the freeze."""
        answered = self.api.ask("GET", "/api/v1/freezes")
        for freeze in answered.body["data"] if answered is not None and answered.status == 200 else ():
            sent = {"scope": freeze["scope"], "value": freeze["value"], "reason": "it is over"}
            self.api.ask("POST", "/api/v1/environment/unfreeze", sent, key=self._key("unfreeze"))

    def _key(self, what: str) -> str:
        self._number += 1
        return f"{self._prefix}-{what}-{self._number:04d}"

    def _change_a_limit(self) -> None:
        answered = self.api.ask("GET", "/api/v1/limits")
        if answered is None or answered.status != 200:
            return
        limits = answered.body["data"]
        what = self.chance.random()
        ours = [limit for limit in limits if limit["scope"] == "case"]
        if what < 0.25 and len(ours) < 3:
            self._create()
        elif what < 0.4 and ours:
            limit = self.chance.choice(ours)
            path = f"/api/v1/limits/{limit['id']}"
            self._noted(self.api.ask("DELETE", path, revision=limit["revision"]), 200)
        else:
            self._move(self.chance.choice(limits))

    def _create(self) -> None:
        draft = {"scope": "case", "measure": "amount", "currency": "usd", "window": "month", "cap": 4000}
        self._noted(self.api.ask("POST", "/api/v1/limits", draft, key=self._key("limit")), 201)
        self.told.mark("limit_created_under_load")

    def _move(self, limit: dict[str, Any]) -> None:
        """To a fifth or to five times as much, so that a cap is sometimes below what is taken already."""
        floor = WIDE_FLOOR if limit["scope"] in {"environment", "agent"} else NARROW_FLOOR
        cap = limit["cap"] // 5 if limit["cap"] > floor and self.chance.random() < 0.5 else limit["cap"] * 5
        sent = {"cap": min(max(cap, floor), 10**9)}
        path = f"/api/v1/limits/{limit['id']}"
        self._noted(self.api.ask("PUT", path, sent, revision=limit["revision"]), 200)
        counters = self.api.ask("GET", f"{path}/counters")
        if counters is not None and counters.status == 200:
            below = [one for one in counters.body["data"] if one["headroom"] < 0]
            if below:
                self.told.mark("limit_lowered_below_exposure")

    def _noted(self, answered: Answered | None, expected: int) -> None:
        if answered is not None and answered.status == expected:
            self.told.limits.append((answered.body["id"], answered.body["revision"]))
