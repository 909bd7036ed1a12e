"""What the operating system says of the process that asks."""

from __future__ import annotations

import os
import socket

from adapters.ids import TypeIds
from governor.domain.processes import Process, ProcessKind
from governor.release import VERSION


def this_process(kind: ProcessKind) -> Process:
    """This process, under an id of its own. Ask after the fork: what is inherited is somebody else."""
    host = socket.gethostname()[:255] or "unnamed"
    return Process(TypeIds().new("proc"), kind, host, os.getpid(), VERSION)
