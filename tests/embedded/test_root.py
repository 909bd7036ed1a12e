import pwd
import signal
import subprocess
from pathlib import Path

from adapters.embedded.identity import Identity
from adapters.embedded.server_process import tied_to_us

NOBODY = pwd.getpwnam("nobody")


def test_root_is_given_up_for_good() -> None:
    done = subprocess.run(
        tied_to_us(["/bin/sh", "-c", "id -u; id -G"], signal.SIGTERM, Identity(NOBODY.pw_uid, NOBODY.pw_gid)),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == [str(NOBODY.pw_uid), str(NOBODY.pw_gid)]


def test_only_the_access_to_files_is_kept_and_only_when_asked(open_folder: Path) -> None:
    secret = open_folder / "secret"
    secret.write_text("kept")
    secret.chmod(0o600)
    for any_file, expected in ((True, "kept"), (False, "")):
        identity = Identity(NOBODY.pw_uid, NOBODY.pw_gid, any_file=any_file)
        command = tied_to_us(["/bin/cat", str(secret)], signal.SIGTERM, identity)
        assert subprocess.run(command, capture_output=True, text=True, check=False).stdout == expected
