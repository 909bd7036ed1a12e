"""Everything from nothing: makes .venv from the lock and starts what was asked for.

    python3 deploy/bootstrap.py install              .venv with everything, and .venv/bin/governor
    python3 deploy/bootstrap.py run  [option ...]    install, then `governor up` with the options
    python3 deploy/bootstrap.py test [option ...]    install, then pytest with the options
    python3 deploy/bootstrap.py check                install, then lint, types, imports and sizes
    python3 deploy/bootstrap.py record               install, then fixtures/cassettes anew from a Stripe test account
    python3 deploy/bootstrap.py lock                 write deploy/requirements.lock anew (needs uv)

Only the standard library, because nothing else is there yet; readable by older Pythons, so that they can say what
they lack or hand over to a newer one.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = str(VENV / "bin" / "python")
BASE_PYTHON = getattr(sys, "_base_executable", sys.executable)
LOCK = ROOT / "deploy" / "requirements.lock"
STAMP = VENV / "installed-from"
OWN_PACKAGES = ("governor", "adapters", "workers")
OLDEST = (3, 11)
# One process more than there are cores, since tests also wait (for servers to start, for a lease to end); a file in
# one of them, because its tests share servers and stories. tests/conftest.py says which file comes first.
EVERY_TEST = (f"--numprocesses={(os.cpu_count() or 1) + 1}", "--dist=loadfile", "--no-loadscope-reorder")
CHECKS = (
    "ruff check .",
    "ruff format --check .",
    "mypy",
    "lint-imports",
    "pytest -q tests/architecture",
)
LOCK_COMMAND = (
    "uv pip compile --universal --generate-hashes --no-header --no-annotate --quiet --upgrade --group dev "
    "pyproject.toml -o deploy/requirements.lock"
)
# A shell first, because a path with a space or of great length cannot stand behind #! itself.
COMMAND = """#!/bin/sh
'''exec' "{python}" "$0" "$@"
' '''
import sys

from governor.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
"""


def say(words: str) -> None:
    """One line to the person who waits; on stderr, since stdout belongs to what is started."""
    sys.stderr.write(f"governor: {words}\n")
    sys.stderr.flush()


def answers(*command: str) -> bool:
    """Whether a command exists and succeeds."""
    try:
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
    except (OSError, subprocess.CalledProcessError):
        return False
    return True


def newer_python() -> str:
    """A Python that is new enough, when the one that runs this is not. Raises SystemExit without one."""
    for minor in range(19, OLDEST[1] - 1, -1):
        found = shutil.which(f"python3.{minor}")
        if found and answers(found, "-c", "pass"):
            return found
    raise SystemExit(f"governor: needs Python 3.11 or newer, and this is {sys.version.split()[0]}")


def installers() -> Iterator[list[str]]:
    """The commands that can fill .venv from the lock, best first; the next is tried when one fails.

    uv is several times as fast, but reads no pip configuration, so a machine behind a mirror may need pip. Where
    Python came without ensurepip, pip works from outside the environment, or out of the wheel Debian keeps for it.
    """
    hashed = ["install", "--quiet", "--require-hashes", "-r", str(LOCK)]
    if answers("uv", "--version"):
        yield [
            "uv",
            "pip",
            "sync",
            "-q",
            "--require-hashes",
            "--compile-bytecode",
            "--python",
            PYTHON,
            str(LOCK),
        ]
    if answers(BASE_PYTHON, "-m", "pip", "--version"):
        yield [BASE_PYTHON, "-m", "pip", "--python", PYTHON, *hashed]
    if answers(PYTHON, "-m", "ensurepip"):
        yield [PYTHON, "-m", "pip", *hashed]
    for wheel in Path("/usr/share/python-wheels").glob("pip-*.whl"):
        yield [PYTHON, str(wheel / "pip"), *hashed]
    for name in ("pip3", "pip"):
        if answers(name, "--version"):
            yield [name, "--python", PYTHON, *hashed]


def fill_environment() -> None:
    """Installs the lock with the first installer that can. Raises SystemExit when none can."""
    # Some machines forbid pip outside an activated environment; `--python` names the environment instead.
    environment = dict(os.environ, PIP_REQUIRE_VIRTUALENV="0", PIP_DISABLE_PIP_VERSION_CHECK="1")
    for command in installers():
        say(f"installing the packages of {LOCK.name} with {'uv' if command[0] == 'uv' else 'pip'} ...")
        if subprocess.run(command, env=environment, check=False).returncode == 0:
            return
    raise SystemExit(
        "governor: the packages could not be installed: each of uv, pip and ensurepip is missing or failed (see above)."
    )


def install() -> None:
    """Makes .venv what the lock says; does next to nothing when it is so already. One at a time."""
    with LOCK.open("rb") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        stamp = f"{hashlib.sha256(LOCK.read_bytes()).hexdigest()} {VENV}\n"
        whole = answers(PYTHON, "-c", f"import sys; sys.exit(sys.prefix != {str(VENV)!r})")
        if not whole:
            subprocess.check_call([BASE_PYTHON, "-m", "venv", "--clear", "--without-pip", str(VENV)])
        if not (whole and STAMP.exists() and STAMP.read_text() == stamp):
            fill_environment()
            STAMP.write_text(stamp)
        link_project()


def link_project() -> None:
    """Makes the working tree importable and `governor` a command, without a build: there may be no build tool."""
    ask = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(subprocess.check_output([PYTHON, "-c", ask], text=True).strip())
    write_if_changed(packages / "governor.pth", f"{ROOT}\n", 0o644)
    write_if_changed(VENV / "bin" / "governor", COMMAND.format(python=PYTHON), 0o755)
    # The environment may forbid Python to write bytecode, and then every process would compile everything again.
    own = [str(ROOT / name) for name in OWN_PACKAGES if (ROOT / name).is_dir()]
    subprocess.check_call([PYTHON, "-m", "compileall", "-q", *own])


def write_if_changed(path: Path, text: str, mode: int) -> None:
    """Leaves the file alone when nothing changes."""
    if not path.exists() or path.read_text() != text:
        path.write_text(text)
        path.chmod(mode)


def become(*command: str) -> None:
    """Becomes the program, so that signals and the exit status are its own."""
    os.execv(command[0], command)


def check() -> int:
    """Runs every check, whatever the one before said, and names those that failed; 0 when none did."""
    failed = [
        line
        for line in CHECKS
        if subprocess.call([str(VENV / "bin" / line.split()[0]), *line.split()[1:]], cwd=ROOT)
    ]
    for line in failed:
        say(f"FAILED: {line}")
    return 1 if failed else 0


def main(arguments: list[str]) -> int:
    """Does what the first argument says; returns the exit status where it does not become another program."""
    if sys.version_info < OLDEST:
        become(newer_python(), __file__, *arguments)
    verb, options = (arguments[0], arguments[1:]) if arguments else ("help", [])
    if verb not in ("install", "run", "test", "check", "record", "lock"):
        raise SystemExit(__doc__)
    if verb == "lock":
        return subprocess.call(LOCK_COMMAND.split(), cwd=ROOT)
    install()
    if verb == "run":
        become(PYTHON, "-m", "governor.cli.main", "up", *options)
    if verb == "test":
        os.chdir(ROOT)
        become(PYTHON, "-m", "pytest", *(options or EVERY_TEST))
    if verb == "record":
        os.chdir(ROOT)
        become(PYTHON, "-m", "tests.stripe.record", "--stripe", *options)
    return check() if verb == "check" else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
