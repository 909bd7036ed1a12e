"""One folder, one owner: a lock that lasts as long as any process that was given it."""

import fcntl
import os
import time
from pathlib import Path


class FolderInUseError(RuntimeError):
    """Another process, still alive, works on this folder."""

    def __init__(self, folder: Path) -> None:
        super().__init__(f"{folder} is in use by another process")
        self.folder = folder


class FolderLock:
    """An exclusive lock on a folder (flock on its file ``lock``).

    The descriptor may be handed to a child: the lock then lasts until the child has died too, so that nobody starts
    a second server on data that a dying one still writes.
    """

    def __init__(self, folder: Path, name: str = "lock") -> None:
        self._folder = folder
        self._path = folder / name
        self._descriptor: int | None = None

    @property
    def descriptor(self) -> int:
        """The locked file's descriptor, for ``pass_fds``. Raises RuntimeError when the lock is not held."""
        if self._descriptor is None:
            raise RuntimeError(f"the lock on {self._folder} is not held")
        return self._descriptor

    def acquire(self, *, wait_seconds: float = 0) -> None:
        """Takes the lock, waiting for a predecessor that is stopping.

        Raises FolderInUseError when it is still held after ``wait_seconds``. Taking a lock that is held already does
        nothing.
        """
        if self._descriptor is not None:
            return
        self._folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        deadline = time.monotonic() + wait_seconds
        while not _locked(descriptor):
            if time.monotonic() >= deadline:
                os.close(descriptor)
                raise FolderInUseError(self._folder)
            time.sleep(0.05)
        self._descriptor = descriptor

    def release(self) -> None:
        """Gives the lock back; children that were given it keep it until they end."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _locked(descriptor: int) -> bool:
    """Tries once."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
