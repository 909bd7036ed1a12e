"""The supervisor's side of the guard: starts it, tells it whom to watch, starts it again if it dies."""

import subprocess
import sys
from typing import Final

from governor.cli.up.children import Child

_ARGV: Final = (sys.executable, "-m", "governor.cli.up.guard")


class Guard:
    """The guard process and what it has been told.

    It is given the descriptor of a lock and so holds it until its work is done: whoever takes that lock knows that
    nothing of an earlier supervisor runs any more.
    """

    def __init__(self, lock: int) -> None:
        self._lock = lock
        self._watched: dict[str, tuple[int, int]] = {}
        self._process = self._started()

    @property
    def pid(self) -> int:
        """The guard's process id."""
        return self._process.pid

    def watch(self, child: Child) -> None:
        """The child's present process must not outlive us; any earlier one of it is forgotten."""
        self.forget(child)
        pid = child.pid
        if pid is not None:
            self._watched[child.name] = (pid, int(child.farewell))
            self._tell(f"watch {pid} {int(child.farewell)}")

    def forget(self, child: Child) -> None:
        """The child's process has ended."""
        pid, _ = self._watched.pop(child.name, (None, None))
        if pid is not None:
            self._tell(f"forget {pid}")

    def keep_alive(self) -> None:
        """Starts a guard anew when the last one has died, and tells it everything again."""
        if self._process.poll() is not None:
            self.dismiss()
            self._process = self._started()
            for pid, farewell in self._watched.values():
                self._tell(f"watch {pid} {farewell}")

    def dismiss(self) -> None:
        """Closes the pipe and waits: the guard ends whatever is still watched."""
        if self._process.stdin is not None:
            try:
                self._process.stdin.close()
            except BrokenPipeError:
                # What it was told last did not reach it, because it had died; that is known and dealt with.
                self._process.poll()
        self._process.wait()

    def _started(self) -> "subprocess.Popen[str]":
        """A new guard, which Ctrl-C at our terminal does not reach."""
        return subprocess.Popen(  # noqa: S603 - our own program, no shell
            _ARGV, stdin=subprocess.PIPE, text=True, bufsize=1, start_new_session=True, pass_fds=[self._lock]
        )

    def _tell(self, line: str) -> None:
        """Writes a line; when the guard has just died, ``keep_alive`` will tell its successor."""
        if self._process.poll() is None and self._process.stdin is not None:
            try:
                self._process.stdin.write(line + "\n")
            except BrokenPipeError:
                self._process.wait()
