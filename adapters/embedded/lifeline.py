"""Becomes another program that ends with its starter, and never as root when told not to.

Run as a script: ``python -I -S lifeline.py SIGNAL STARTER USER FILES PROGRAM [ARGUMENT…]``

SIGNAL   the number of the signal this process gets when its starter dies (Linux only; elsewhere the guard of
         ``governor up`` does that work).
STARTER  the process id of the starter, so that one who died before we asked is noticed too.
USER     ``uid:gid`` to become, or ``-`` to stay who we are. PostgreSQL refuses to run as root.
FILES    ``any`` keeps the right to reach every file (CAP_DAC_OVERRIDE) across the change of user, for binaries or
         data below a folder that only root may enter; ``-`` gives it up.

It is a script and not a ``preexec_fn``: between fork and exec of a program with threads nothing may safely run.
The order matters: the kernel forgets the death signal whenever the user changes, so it is asked for last.
"""

import ctypes
import os
import sys

_PR_SET_PDEATHSIG = 1
_PR_SET_KEEPCAPS = 8
_PR_CAP_AMBIENT = 47
_PR_CAP_AMBIENT_RAISE = 2
_CAP_DAC_OVERRIDE = 1
_CAPABILITY_VERSION_3 = 0x20080522


def _checked(result: int, what: str) -> None:
    """Raises OSError with the C library's reason when a call has failed."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")


def _become(user: int, group: int, libc: ctypes.CDLL, *, any_file: bool) -> None:
    """Gives up root for good; keeps one capability where files could not be reached otherwise."""
    if any_file:
        _checked(libc.prctl(_PR_SET_KEEPCAPS, 1, 0, 0, 0), "keep capabilities")
    os.setgroups([])
    os.setresgid(group, group, group)
    os.setresuid(user, user, user)
    if any_file:
        bit = 1 << _CAP_DAC_OVERRIDE
        header = (ctypes.c_uint32 * 2)(_CAPABILITY_VERSION_3, 0)
        sets = (ctypes.c_uint32 * 6)(bit, bit, bit, 0, 0, 0)
        _checked(libc.capset(header, sets), "set capabilities")
        raised = libc.prctl(_PR_CAP_AMBIENT, _PR_CAP_AMBIENT_RAISE, _CAP_DAC_OVERRIDE, 0, 0)
        _checked(raised, "keep file access across exec")


def main(arguments: list[str]) -> None:
    """Changes the user, ties this process to its starter and becomes PROGRAM; returns only if the starter is gone."""
    signal_number, starter, user, files, *program = arguments
    libc = ctypes.CDLL(None, use_errno=True)
    if user != "-":
        uid, gid = user.split(":")
        _become(int(uid), int(gid), libc, any_file=files == "any")
    if sys.platform == "linux":
        _checked(libc.prctl(_PR_SET_PDEATHSIG, int(signal_number), 0, 0, 0), "ask for the death signal")
    if os.getppid() == int(starter):
        os.execv(program[0], program)  # noqa: S606 - a shell between the two would break the tie


if __name__ == "__main__":
    main(sys.argv[1:])
