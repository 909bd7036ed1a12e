import os

import pytest

from governor.bench.world import as_variables, settings
from governor.settings import Settings


def test_a_process_reads_the_settings_that_it_was_given(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [one for one in os.environ if one.startswith("GOVERNOR_")]:
        monkeypatch.delenv(name)
    given = settings("postgresql+psycopg://me@127.0.0.1:1/none", database_pool=5)
    for name, value in as_variables(given).items():
        monkeypatch.setenv(name, value)
    assert vars(Settings()) == vars(given)
