from datetime import timedelta

import pytest

from governor.domain.credentials import Credential, Kind, Role, alive
from governor.domain.delegation import (
    DEEPEST,
    Child,
    descends,
    end_of,
    in_tree_order,
    living,
    may_rotate,
    narrowed,
    refuse_wider,
)
from governor.domain.errors import Conflict, Forbidden
from tests.unit.values import NOON, replaced

SOON, LATER = NOON + timedelta(hours=1), NOON + timedelta(hours=2)


def key(name: str, parent: str | None = None, **fields: object) -> Credential:
    made = Credential(
        f"cred_{name}", "test", name, Role.AGENT, Kind.PROGRAM, "ana", "bot", parent, NOON, None, None
    )
    return replaced(made, **fields)


ROOT = key("a", expires_at=LATER)
PARENT = key("b", "cred_a")
CHAIN = (PARENT, ROOT)
WISH = Child("kid", None, None, None, None, None)

#   the parent                     the wish                        refused for
WIDER = [
    ({},                           {},                             None),
    ({},                           {"role": Role.AGENT},           None),
    ({},                           {"owner": "ana"},               None),
    ({},                           {"agent": "bot"},               None),
    ({},                           {"kind": Kind.PROGRAM},         None),
    ({"kind": Kind.HUMAN},         {"kind": Kind.HUMAN},           None),
    ({"kind": Kind.HUMAN},         {"kind": Kind.PROGRAM},         None),
    ({},                           {"expires_at": SOON},           None),
    ({},                           {"expires_at": LATER},          None),
    ({},                           {"role": Role.APPROVER},        "/role"),
    ({},                           {"role": Role.OPERATOR},        "/role"),
    ({},                           {"role": Role.AUDITOR},         "/role"),
    ({},                           {"kind": Kind.HUMAN},           "/kind"),
    ({},                           {"owner": "ben"},               "/owner"),
    ({},                           {"agent": "fresh"},             "/agent"),
    # The root's end binds the grandchild, too.
    ({},                           {"expires_at": LATER + timedelta(seconds=1)}, "/expires_at"),
    ({"expires_at": SOON},         {"expires_at": LATER},          "/expires_at"),
    # Only agents delegate: nobody makes an approver's deputy or a second operator by this door.
    ({"role": Role.APPROVER},      {},                             "role_not_allowed"),
    ({"role": Role.OPERATOR},      {},                             "role_not_allowed"),
    ({"role": Role.AUDITOR},       {},                             "role_not_allowed"),
]  # fmt: skip


@pytest.mark.parametrize(("source", "wish", "refused"), WIDER)
def test_a_child_is_never_wider(
    source: dict[str, object], wish: dict[str, object], refused: str | None
) -> None:
    chain, child = (replaced(PARENT, **source), ROOT), replaced(WISH, **wish)
    if refused is None:
        refuse_wider(chain, child)
        born = narrowed(chain, child, "cred_kid", NOON)
        assert (born.role, born.owner, born.agent, born.parent) == (Role.AGENT, "ana", "bot", "cred_b")
        ends = end_of((born, *chain))
        assert ends is not None
        assert ends <= (end_of(chain) or ends)
        assert born.expires_at is not None, "a child ends by itself when an ancestor does"
        return
    with pytest.raises(Forbidden) as error:
        refuse_wider(chain, child)
    wider = error.value.code == "wider_than_parent"
    assert (error.value.extra["pointer"] if wider else error.value.code) == refused


def test_a_chain_ends_somewhere() -> None:
    """The database follows a chain further than that: no ancestor is ever out of sight."""
    chain = (*(key(f"k{n}", f"cred_k{n + 1}") for n in range(DEEPEST - 1)), key(f"k{DEEPEST - 1}"))
    refuse_wider(chain[1:], WISH)
    with pytest.raises(Conflict) as deep:
        refuse_wider(chain, WISH)
    assert deep.value.code == "delegation_too_deep"
    assert DEEPEST < 20


REVOKED = {"revoked_at": NOON}

#   chain                                                     lives at noon
CHAINS = [
    ((ROOT,),                                                 True),
    (CHAIN,                                                   True),
    ((),                                                      False),
    ((PARENT,),                                               False),  # an ancestor is missing
    ((PARENT, replaced(ROOT, **REVOKED)),                     False),
    ((replaced(PARENT, **REVOKED), ROOT),                     False),
    ((PARENT, replaced(ROOT, expires_at=NOON)),               False),
    ((PARENT, replaced(ROOT, expires_at=SOON)),               True),
]  # fmt: skip


@pytest.mark.parametrize(("chain", "lives"), CHAINS)
def test_a_credential_dies_with_its_ancestors(chain: tuple[Credential, ...], lives: bool) -> None:
    assert alive(chain, NOON) is lives


TREE = [
    key("a"), key("b", "cred_a"), key("c", "cred_a", revoked_at=NOON), key("d", "cred_c"), key("e", "cred_b"),
]  # fmt: skip


def test_a_tree_is_told_in_order_and_the_dead_take_theirs_along() -> None:
    assert [(depth, one.name) for depth, one in in_tree_order(reversed(TREE))] == [
        (0, "a"), (1, "b"), (2, "e"), (1, "c"), (2, "d"),
    ]  # fmt: skip
    assert living(TREE, NOON) == {"cred_a", "cred_b", "cred_e"}
    below = [one for one in TREE if one.name in {"c", "d"}]
    assert [one.name for _, one in in_tree_order(below)] == ["c", "d"], "the top of what is shown is a root"


OPERATOR = key("op", role=Role.OPERATOR)
APPROVER = key("ap", role=Role.APPROVER)

#   who                   whose secret                           may
ROTATIONS = [
    (PARENT,              CHAIN,                                 True),
    (ROOT,                CHAIN,                                 True),
    (PARENT,              (ROOT,),                               False),
    (key("c", "cred_a"),  CHAIN,                                 False),
    (OPERATOR,            CHAIN,                                 True),
    (OPERATOR,            (OPERATOR,),                           True),
    (OPERATOR,            (key("op2", role=Role.OPERATOR),),     False),
    (OPERATOR,            (APPROVER,),                           False),
    (APPROVER,            (APPROVER,),                           True),
    (APPROVER,            CHAIN,                                 False),
    (ROOT,                (APPROVER,),                           False),
]  # fmt: skip


@pytest.mark.parametrize(("who", "target", "may"), ROTATIONS)
def test_nobody_gets_to_know_a_secret_with_more_power(
    who: Credential, target: tuple[Credential, ...], may: bool
) -> None:
    assert may_rotate(who, target) is may


def test_nobody_descends_from_themselves() -> None:
    assert descends(CHAIN, "cred_a")
    assert not descends(CHAIN, "cred_b")
