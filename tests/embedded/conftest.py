import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

# What root gives up and keeps can be seen by root alone; CI runs as root, so it is seen.
collect_ignore = [] if os.geteuid() == 0 else ["test_root.py"]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder everybody may enter, unlike pytest's own."""
    folder = Path(subprocess.check_output(["mktemp", "-d"], text=True, env={}).strip())
    folder.chmod(0o755)
    yield folder
    subprocess.run(["rm", "-r", str(folder)], check=True)
