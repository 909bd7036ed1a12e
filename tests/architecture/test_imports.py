import re
import socket
import subprocess
import sys

import pytest
from pytest_socket import SocketConnectBlockedError

from tests.architecture.tree import ROOT


def test_imports_point_inward_only() -> None:
    check = (
        "import sys; from importlinter.cli import lint_imports_command; lint_imports_command(['--no-cache'])"
    )
    done = subprocess.run(
        [sys.executable, "-c", check], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"Contracts: [1-9]\d* kept, 0 broken", done.stdout), done.stdout


def test_no_test_reaches_beyond_this_machine() -> None:
    with (
        socket.socket() as stranger,
        pytest.warns(UserWarning, match="192"),
        pytest.raises(SocketConnectBlockedError),
    ):
        stranger.connect(("192.0.2.1", 80))
