"""`governor up` itself, with the real servers, sandbox and migrations, but small programs in governor's place."""

import sys

from governor.cli import programs
from governor.cli.main import main
from tests.supervisor import small_program


def _small(role: str, *arguments: str) -> tuple[str, ...]:
    return (sys.executable, str(small_program.__file__), role, *arguments)


if __name__ == "__main__":
    programs.web = lambda address: _small("web", address)
    programs.background = _small
    main(["up", *sys.argv[1:]])
