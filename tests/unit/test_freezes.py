from datetime import timedelta

import pytest

from governor.domain.credentials import Credential, Kind, Role
from governor.domain.errors import Conflict, Forbidden, Invalid, Unavailable
from governor.domain.freezes import (
    FREEZABLE,
    Freeze,
    check_scope,
    frozen_by,
    refuse_frozen,
    refuse_program,
)
from governor.domain.limits import Scope
from governor.domain.second_person import Word
from tests.unit.values import NOON, SUBJECT, replaced

STOP = Word("ana", "cred_ana", "too many", NOON)
FIRST = Word("ben", "cred_ben", "found the fault", NOON + timedelta(hours=1))
SECOND = Word("ana", "cred_ana", "seen it too", NOON + timedelta(hours=2))


def freeze(scope: Scope = Scope.ENVIRONMENT, value: str | None = None) -> Freeze:
    return Freeze("frz_1", scope, value, STOP)


#   frozen                              covers the subject
COVERED = [
    (Scope.ENVIRONMENT, None,           True),
    (Scope.PAYMENT,     "pi_1",         True),
    (Scope.PAYMENT,     "pi_2",         False),
    (Scope.CUSTOMER,    "cus_1",        True),
    (Scope.CUSTOMER,    "cus_2",        False),
    # A tree: the key itself and whatever it descends from.
    (Scope.CREDENTIAL,  "cred_child",   True),
    (Scope.CREDENTIAL,  "cred_parent",  True),
    (Scope.CREDENTIAL,  "cred_sibling", False),
    # A value of one scope is none of another.
    (Scope.PAYMENT,     "cus_1",        False),
]  # fmt: skip


@pytest.mark.parametrize(("scope", "value", "covers"), COVERED)
def test_what_a_freeze_covers(scope: Scope, value: str | None, covers: bool) -> None:
    frozen = freeze(scope, value)
    assert frozen.covers(SUBJECT) is covers
    assert frozen_by([freeze(Scope.PAYMENT, "pi_9"), frozen], SUBJECT) == (frozen if covers else None)


def test_a_payment_without_a_customer_is_not_frozen_with_one() -> None:
    assert not freeze(Scope.CUSTOMER, "cus_1").covers(replaced(SUBJECT, customer=None))


def test_whoever_is_refused_hears_the_scope_and_nothing_else_of_the_freeze() -> None:
    refuse_frozen([freeze(Scope.PAYMENT, "pi_2")], SUBJECT)
    with pytest.raises(Unavailable) as refused:
        refuse_frozen([freeze(Scope.CUSTOMER, "cus_1")], SUBJECT)
    assert (refused.value.code, refused.value.extra) == ("frozen", {"frozen": "customer"})
    assert STOP.reason not in str(refused.value)


def test_one_stops_and_two_start_again() -> None:
    """The one who stopped may be one of the two (DESIGN §3.15, RELIABILITY T46)."""
    proposed = freeze().unfrozen(FIRST)
    assert (proposed.proposed, proposed.ended) == (FIRST, None)
    with pytest.raises(Conflict) as alone:
        proposed.unfrozen(replaced(FIRST, credential="cred_bens_other_key"))
    assert alone.value.code == "second_person_needed"
    ended = proposed.unfrozen(SECOND)
    assert (ended.proposed, ended.ended) == (FIRST, SECOND)


def test_a_second_stop_takes_the_proposal_back() -> None:
    again = freeze().unfrozen(FIRST).again()
    assert again == freeze()
    assert again.unfrozen(SECOND).ended is None, "it takes two once more"


@pytest.mark.parametrize("kind", list(Kind))
def test_a_program_never_starts_again(kind: Kind) -> None:
    key = Credential("cred_1", "test", "x", Role.OPERATOR, kind, "ana", "x", None, NOON, None, None)
    if kind is Kind.HUMAN:
        refuse_program([key])
        return
    with pytest.raises(Forbidden) as refused:
        refuse_program([key])
    assert refused.value.code == "unfreeze_needs_human"


CREDENTIAL = "cred_01kb7q3zj9f0d8v5n2m4c6x1ya"

#   scope               value                          field that is wrong
SCOPES = [
    (Scope.ENVIRONMENT, None,                          None),
    (Scope.PAYMENT,     "pi_3Q",                       None),
    (Scope.CUSTOMER,    "cus_9s6XKzkNRiz8i3",          None),
    (Scope.CREDENTIAL,  CREDENTIAL,                    None),
    (Scope.ENVIRONMENT, "test",                        "/value"),
    (Scope.PAYMENT,     None,                          "/value"),
    (Scope.PAYMENT,     "cus_1",                       "/value"),
    (Scope.PAYMENT,     "pi_3Q ",                      "/value"),
    (Scope.CUSTOMER,    "ana@example.com",             "/value"),
    (Scope.CREDENTIAL,  "gvk_test_x",                  "/value"),
    (Scope.CASE,        "ZD-1",                        "/scope"),
    (Scope.AGENT,       "bot",                         "/scope"),
]  # fmt: skip


@pytest.mark.parametrize(("scope", "value", "wrong"), SCOPES)
def test_what_can_be_frozen(scope: Scope, value: str | None, wrong: str | None) -> None:
    if wrong is None:
        check_scope(scope, value)
        assert scope in FREEZABLE
        return
    with pytest.raises(Invalid) as refused:
        check_scope(scope, value)
    assert [one.pointer for one in refused.value.errors] == [wrong]
