from pathlib import Path

import pytest

from governor.bootstrap import build
from governor.cli.up.data_folder import Addresses, DataFolder
from governor.cli.up.demo import ENVIRONMENT, ensure
from governor.domain.credentials import Kind, Role
from governor.domain.errors import Unauthenticated
from governor.usecases.callers import host
from tests.cli.story import PEPPER, settings_for
from tests.cli.telling import tell
from tests.twin import Twin


def test_the_demo_has_people_limits_and_payments_and_is_made_once(
    database_url: str, redis_url: str, twin: Twin
) -> None:
    where = {"database_url": database_url, "redis_url": redis_url, "sandbox_url": twin.url, "pepper": PEPPER}
    first = ensure(**where)
    second = ensure(**where)
    assert second.payments == first.payments
    assert len(set(first.payments)) == 20
    app = build(settings_for(database_url, redis_url, twin.url))
    try:
        people = {name: app.authenticate(key).credential for name, key in second.keys.items()}
        assert set(people) == {
            "agent", "agent_2", "approver", "approver_2", "operator", "operator_2", "auditor",
        }  # fmt: skip
        assert {name.removesuffix("_2"): one.role for name, one in people.items()} == {
            role.value: role for role in Role
        }
        assert len({one.owner for one in people.values()}) == 7
        assert {one.kind for one in people.values() if one.role is Role.AGENT} == {Kind.PROGRAM}
        with pytest.raises(Unauthenticated):
            app.authenticate(first.keys["agent"])
        limits = {limit.currency: limit.cap for limit in app.queries.limits(host(ENVIRONMENT))}
        assert limits == {
            "usd": 100_000, "eur": 100_000, "gbp": 100_000, "jpy": 100_000, "kwd": 1_000_000, "isk": 10_000_000,
        }  # fmt: skip
        assert app.check_books().findings == ()
        currencies = {app.queries.allowance(app.authenticate(second.keys["agent"]), payment, "usd").currency
                      for payment in second.payments[:8]}  # fmt: skip
        assert currencies == {"usd"}
    finally:
        app.engine.dispose()


def test_a_folder_remembers_its_last_demo_and_addresses_for_its_owner_only(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path / "data")
    assert (folder.addresses(), folder.last_demo()) == (None, None)
    addresses = Addresses(
        "http://127.0.0.1:1", "http://127.0.0.1:2", "postgresql+psycopg://db/x", "redis://r", False
    )
    folder.keep_addresses(addresses)
    assert DataFolder(tmp_path / "data").addresses() == addresses
    assert (tmp_path / "data" / "addresses.json").stat().st_mode & 0o077 == 0


def test_a_named_folder_on_which_nothing_runs_is_no_stage(tmp_path: Path) -> None:
    heard = tell("--data", str(tmp_path), "demo", "two-agents", "--json")
    assert (heard.code, heard.value["error"]["code"]) == (4, "governor_not_running")
