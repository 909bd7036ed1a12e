import os
import pwd
import signal
import subprocess
from pathlib import Path

import pytest

from adapters.embedded.identity import Identity, identity_for
from adapters.embedded.server_process import tied_to_us

NOBODY = pwd.getpwnam("nobody")


def test_whoever_is_not_root_stays_who_he_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    assert identity_for(tmp_path) == Identity()


def test_root_becomes_nobody_and_keeps_access_only_where_nobody_has_none(
    monkeypatch: pytest.MonkeyPatch, open_folder: Path
) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    closed = open_folder / "closed" / "below"
    closed.mkdir(parents=True)
    (open_folder / "closed").chmod(0o700)
    assert identity_for(open_folder / "file") == Identity(NOBODY.pw_uid, NOBODY.pw_gid, any_file=False)
    assert identity_for(open_folder / "file", closed) == Identity(NOBODY.pw_uid, NOBODY.pw_gid, any_file=True)


def test_a_program_whose_starter_is_gone_is_not_started() -> None:
    command = tied_to_us(["/bin/echo", "started"], signal.SIGTERM, Identity())
    assert subprocess.check_output(command, text=True) == "started\n"
    command[command.index(str(os.getpid()))] = "1"
    assert subprocess.check_output(command, text=True) == ""
