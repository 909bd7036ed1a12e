"""Those who use governor during the storm: each in a thread of its own, each with its own chance."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from governor.chaos.calling import Api


@dataclass(frozen=True)
class Weather:
    """`calm`: the storm is over, and nobody begins anything new. `over`: everybody stops at once."""

    calm: threading.Event = field(default_factory=threading.Event)
    over: threading.Event = field(default_factory=threading.Event)

    def moment(self, seconds: float) -> None:
        """Let a moment pass."""
        self.over.wait(seconds)


class Client(threading.Thread, ABC):
    """Repeats its `step` until its time is over. An error of its own ends it, and is kept for the verdict."""

    ends_with_the_storm: ClassVar[bool] = False
    rest_seconds: ClassVar[tuple[float, float]] = (0.02, 0.25)

    def __init__(self, api: Api, weather: Weather) -> None:
        super().__init__(daemon=True)
        self.api, self.told, self.chance, self.weather = api, api.told, api.chance, weather

    def run(self) -> None:
        """Step after step."""
        try:
            while not self.is_done():
                self.step()
                self.weather.moment(self.chance.uniform(*self.rest_seconds))
        except Exception as error:  # noqa: BLE001  whatever ends a client must be in the verdict
            self.told.broken.append(f"{type(self).__name__}: {error!r}")

    def is_done(self) -> bool:
        """Whether this client has no reason to go on."""
        return self.weather.over.is_set() or (self.ends_with_the_storm and self.weather.calm.is_set())

    @abstractmethod
    def step(self) -> None:
        """One thing that this client does."""
