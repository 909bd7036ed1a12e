"""What operators watch, beside what they decide: whether everything that governor consists of is at work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from governor.domain.processes import ProcessKind
from governor.usecases.say_alive import SayAlive
from governor.usecases.see_processes import SeeProcesses


@dataclass(frozen=True)
class Oversight:
    """`alive` makes the word of this process, once it is known what kind it is."""

    alive: Callable[[ProcessKind], SayAlive]
    processes: SeeProcesses
