"""What operators watch: whether all that governor consists of is at work, how the provider does, how the day went."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from governor.domain.processes import ProcessKind
from governor.usecases.say_alive import SayAlive
from governor.usecases.see_last_day import SeeLastDay
from governor.usecases.see_processes import SeeProcesses
from governor.usecases.see_provider import SeeProvider


@dataclass(frozen=True)
class Oversight:
    """`alive` makes the word of this process, once it is known what kind it is."""

    alive: Callable[[ProcessKind], SayAlive]
    processes: SeeProcesses
    provider: SeeProvider
    last_day: SeeLastDay
