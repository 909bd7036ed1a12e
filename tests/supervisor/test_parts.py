import io
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from governor.cli.local import settings
from governor.cli.up import back_off as waiting
from governor.cli.up.announcement import answers, for_a_person
from governor.cli.up.back_off import BackOff
from governor.cli.up.data_folder import SECRET_FILES, Addresses, DataFolder, Demo, write_secret
from governor.cli.up.guard import watched_until_the_end
from governor.cli.up.stack import Options, Stack

ADDRESSES = Addresses(
    url="http://127.0.0.1:1",
    sandbox_url="http://127.0.0.1:2",
    database_url="postgresql+psycopg://somebody@127.0.0.1:3/governor",
    redis_url="redis://127.0.0.1:4/0",
    embedded_database=False,
)


def _options(tmp_path: Path, *, database_url: str | None = None, workers: int = 1) -> Options:
    return Options(tmp_path, 0, workers, database_url, "redis://127.0.0.1:1/0", demo=True, ready_file=None)


def test_waits_double_up_to_a_bound_and_start_over_for_what_had_recovered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    back_off = BackOff()
    waits = []
    for _ in range(8):
        back_off.has_started()
        waits.append(back_off.has_died())
        assert back_off.has_died() is None
    assert waits == [0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5.0, 5.0]
    monkeypatch.setattr(waiting, "SETTLED_SECONDS", -1.0)
    back_off.has_started()
    assert not back_off.is_over
    assert back_off.has_died() == 0.1


def test_the_guard_knows_who_was_watched_when_the_pipe_closed() -> None:
    lines = io.StringIO("watch 11 15\nwatch 12 2\nforget 11\nforget 99\n")
    assert watched_until_the_end(lines) == {12: signal.SIGINT}
    with pytest.raises(ValueError, match="not a line for the guard"):
        watched_until_the_end(io.StringIO("watch everything\n"))


def test_the_pepper_is_made_once(tmp_path: Path) -> None:
    pepper = DataFolder(tmp_path / "data").pepper()
    assert len(pepper) >= 32
    assert DataFolder(tmp_path / "data").pepper() == pepper
    assert DataFolder(tmp_path / "other").pepper() != pepper


def test_every_secret_of_the_folder_is_its_owners_alone_and_known_to_doctor(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    folder.pepper()
    folder.keep_demo("embedded", Demo({}, []))
    folder.keep_addresses(ADDRESSES)
    write_secret(folder.webhook_secrets, "{}")
    written = {
        one.name: one.stat().st_mode & 0o777 for one in tmp_path.glob("[!.]*") if one.suffix != ".lock"
    }
    assert written == dict.fromkeys((name for name in SECRET_FILES if "/" not in name), 0o600)


def test_a_command_on_the_folder_has_the_settings_of_its_processes(tmp_path: Path) -> None:
    folder = DataFolder(tmp_path)
    folder.keep_addresses(ADDRESSES)
    write_secret(folder.webhook_secrets, '{"test": ["whsec_1"]}')
    with settings(tmp_path) as found:
        assert found.webhook_secrets_file == folder.webhook_secrets
        assert (found.events_poll_seconds, found.refunds_sweep_seconds) == (15, 60)
        assert found.database_url.get_secret_value() == ADDRESSES.database_url


def test_demo_keys_are_kept_for_the_database_they_were_made_in(tmp_path: Path) -> None:
    demo = Demo({"agent": "gvk_test_1"}, ["pi_sandbox_1"])
    folder = DataFolder(tmp_path)
    assert folder.demo("embedded") is None
    folder.keep_demo("embedded", demo)
    assert folder.demo("embedded") == demo
    assert folder.demo("db.example:5432/governor") is None
    assert (tmp_path / "demo.json").stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("scheme", ["postgres", "postgresql", "postgresql+psycopg"])
def test_a_database_is_spelt_as_sqlalchemy_spells_it_and_named_without_its_password(
    tmp_path: Path, scheme: str
) -> None:
    stack = Stack(_options(tmp_path, database_url=f"{scheme}://me:secret@db:5432/x"), DataFolder(tmp_path))
    assert stack.database_url == "postgresql+psycopg://me:secret@db:5432/x"
    assert stack.database_name == "db:5432/x"
    assert stack.servers() == []


def test_everybody_who_is_started_is_stopped_web_first_and_servers_last_within_nine_seconds(
    tmp_path: Path,
) -> None:
    stack = Stack(_options(tmp_path, database_url="postgresql://db/x", workers=3), DataFolder(tmp_path))
    started = {"postgres", "redis", "sandbox", *(child.name for child in stack.governor())}
    stages = stack.stop_stages()
    assert started == {name for names, _ in stages for name in names}
    assert [names[0] for names, _ in stages] == ["web", "relay", "sandbox", "redis", "postgres"]
    assert sum(seconds for _, seconds in stages) == 9.0


def test_a_person_is_shown_keys_and_a_line_to_paste(tmp_path: Path) -> None:
    stack = Stack(_options(tmp_path, database_url="postgresql://db/x"), DataFolder(tmp_path))
    shown = for_a_person(stack, Demo({"agent": "gvk_test_1", "auditor": "gvk_test_2"}, ["pi_sandbox_1"]))
    assert stack.url in shown
    assert "auditor     gvk_test_2" in shown
    assert "-H 'Authorization: Bearer gvk_test_1'" in shown
    assert '"payment": "pi_sandbox_1"' in shown
    assert "    pi_sandbox_1  $50.00\n" in shown
    assert "curl" not in for_a_person(stack, Demo({}, []))


def test_a_person_is_shown_where_and_as_whom_to_sign_in(tmp_path: Path) -> None:
    stack = Stack(_options(tmp_path, database_url="postgresql://db/x"), DataFolder(tmp_path))
    demo = Demo({"agent": "gvk_test_1", "auditor": "gvk_test_2"}, [], {"ada": "word-1", "gita": "word-2"})
    shown = for_a_person(stack, demo)
    assert f"{stack.url}/console\n" in shown
    assert "agent       ada     word-1" in shown
    assert "auditor     gita    word-2" in shown


def test_nobody_at_an_address_is_no_answer() -> None:
    assert answers("http://127.0.0.1:1/readyz") is False


def test_help_answers_without_loading_what_it_does_not_need() -> None:
    program = (
        "import sys; from governor.cli.main import main\n"
        "try: main(['--help'])\n"
        "finally: sys.stderr.write(' '.join(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "Everything on this machine" in done.stdout
    assert not {"sqlalchemy", "flask", "redis", "psycopg", "stripe"} & set(done.stderr.split())


@pytest.mark.parametrize("name", ["up", "web", "relay", "worker", "runner", "cron", "messenger"])
def test_every_command_of_the_table_exists_and_explains_itself(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "governor.cli.main", name, "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.startswith(f"Usage: python -m governor.cli.main {name}")


def test_the_sandbox_command_becomes_the_sandbox() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "governor.cli.main", "sandbox", "--help"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "--state" in done.stdout
    assert "--port" in done.stdout
