from dataclasses import replace
from typing import Any

from governor.domain.errors import Unavailable
from governor.usecases.callers import Caller, host
from governor.usecases.note_use import EVERY_SECONDS, MOST_REMEMBERED, NoteUse


class Noted:
    """A store that only hears of uses, and may be away."""

    def __init__(self) -> None:
        self.uses: list[tuple[str, str]] = []
        self.away = False

    def note_use(self, environment: str, credential_id: str) -> None:
        if self.away:
            raise Unavailable("database_unavailable", "away")
        self.uses.append((environment, credential_id))


def somebody(name: str) -> Caller:
    caller = host("test")
    return replace(caller, credential=replace(caller.credential, id=name))


def made() -> tuple[NoteUse, Noted, list[float]]:
    store, clock = Noted(), [0.0]
    note: Any = store
    return NoteUse(note, lambda: clock[0]), store, clock


def test_a_key_is_noted_once_a_minute() -> None:
    note, store, clock = made()
    ana, ben = somebody("cred_ana"), somebody("cred_ben")
    seen = []
    for second in (0.0, 1.0, EVERY_SECONDS - 1, EVERY_SECONDS, EVERY_SECONDS + 1):
        clock[0] = second
        seen.append((note.due(ana), note.due(ben)))
    assert seen == [(True, True), (False, False), (False, False), (True, True), (False, False)]
    note(ana)
    assert store.uses == [("test", "cred_ana")]


def test_a_database_that_is_away_is_asked_again_by_the_next_call() -> None:
    note, store, _ = made()
    ana, store.away = somebody("cred_ana"), True
    assert note.due(ana)
    note(ana)
    assert note.due(ana), "nothing was noted"
    store.away = False
    note(ana)
    assert store.uses == [("test", "cred_ana")]


def test_a_process_does_not_remember_every_key_for_ever() -> None:
    note, _, _ = made()
    for number in range(MOST_REMEMBERED + 5):
        assert note.due(somebody(f"cred_{number}"))
    assert len(note._noted) == 5
