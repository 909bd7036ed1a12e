"""Who may decide about a request: every relation to those who asked for it (invariant 14)."""

import pytest

from governor.domain.approval import Ballot, Choice
from governor.domain.approvers import refuse_approver
from governor.domain.credentials import Credential, Kind, Role
from governor.domain.duties import asked_for
from governor.domain.errors import Forbidden
from governor.domain.requests import RefundRequest
from governor.domain.resolutions import refuse_resolver
from tests.unit.values import NOON, replaced, request


def key(name: str, owner: str, role: Role = Role.AGENT, **fields: object) -> Credential:
    made = Credential(f"cred_{name}", "test", name, role, Kind.HUMAN, owner, name, None, NOON, None, None)
    return replaced(made, **fields)


# root (olga) → parent (pia) → asker (ana): the owners differ, as they could in an older database.
ROOT = key("root", "olga")
PARENT = key("parent", "pia", parent="cred_root")
ASKER = key("asker", "ana", parent="cred_parent")
REQUESTER = (ASKER, PARENT, ROOT)
ASKED = request(
    requested_by="cred_asker",
    credentials=("cred_asker", "cred_parent", "cred_root"),
    person="ana",
    amount_minor=1000,
    currency="usd",
)
STRANGER = key("stranger", "zoe", Role.APPROVER)


def ballot(choice: Choice, less: int | None = None) -> Ballot:
    """What somebody says who has looked; `less` is the amount that APPROVE_LESS allows."""
    return Ballot(choice, "sha256:0", 1, "looked at it", less)


#   relation                              with this chain                                              own
RELATIONS = [
    ("a stranger",                        (STRANGER,),                                                 False),
    ("a stranger's child",                (key("x", "yan", parent="cred_stranger"), STRANGER),          False),
    ("the very key",                      REQUESTER,                                                   True),
    ("its parent",                        (PARENT, ROOT),                                              True),
    ("its grandparent",                   (ROOT,),                                                     True),
    ("its child",                         (key("child", "kim", parent="cred_asker"), *REQUESTER),       True),
    ("its sibling",                       (key("sister", "sue", parent="cred_parent"), PARENT, ROOT),   True),
    ("its cousin",                        (key("aunt", "uma", parent="cred_root"), ROOT),               True),
    ("another key of the same person",    (key("other", "ana", Role.APPROVER),),                        True),
    ("another key of a parent's person",  (key("other", "pia", Role.APPROVER),),                        True),
    ("another key of the root's person",  (key("other", "olga", Role.APPROVER),),                       True),
    ("a key below the same person's key", (key("x", "yan", parent="cred_a"), key("a", "ana")),          True),
]  # fmt: skip


@pytest.mark.parametrize(("relation", "chain", "own"), RELATIONS, ids=[one[0] for one in RELATIONS])
def test_who_asked_never_decides(relation: str, chain: tuple[Credential, ...], own: bool) -> None:
    assert asked_for(ASKED, REQUESTER, chain) is own, relation
    for choice in Choice:
        if own:
            with pytest.raises(Forbidden) as refused:
                refuse_approver(ASKED, REQUESTER, chain, ballot(choice))
            assert refused.value.code == "self_approval"
            with pytest.raises(Forbidden) as resolving:
                refuse_resolver(ASKED, REQUESTER, chain)
            assert resolving.value.code == "self_resolution"
        else:
            refuse_approver(ASKED, REQUESTER, chain, ballot(choice))
            refuse_resolver(ASKED, REQUESTER, chain)


def test_the_request_remembers_its_askers_though_their_rows_were_gone() -> None:
    assert asked_for(ASKED, (), REQUESTER)
    assert asked_for(ASKED, (), (key("other", "ana"),))


def known(credential: Credential, *people: str) -> Credential:
    """The key, whose secret these people have seen."""
    return replaced(credential, known_to=people)


#   case                                          the key that asked                                with this chain                           one
HANDS = [
    ("nobody has seen both",                      (known(key("a", "ana"), "eve"),),                 (known(STRANGER, "olaf"),),               False),
    ("whoever has seen the key that asked",       (known(key("a", "ana"), "zoe"),),                 (STRANGER,),                              True),
    ("whoever asked has seen the other",          (key("a", "ana"),),                               (known(STRANGER, "ana"),),                True),
    ("a third person has seen both",              (known(key("a", "ana"), "eve"),),                 (known(STRANGER, "eve"),),                True),
    ("and so they have of the one above",         (key("a", "ana"), known(key("r", "ana"), "eve")), (known(STRANGER, "olaf", "eve"),),        True),
]  # fmt: skip


@pytest.mark.parametrize(("case", "requester", "chain", "one"), HANDS, ids=[one[0] for one in HANDS])
def test_nobody_approves_with_a_key_what_they_could_have_asked_for_with_another(
    case: str, requester: tuple[Credential, ...], chain: tuple[Credential, ...], *, one: bool
) -> None:
    asked = request(requested_by="cred_a", credentials=("cred_a",), person="ana", amount_minor=10)
    for choice in Choice:
        if one:
            with pytest.raises(Forbidden, match="self_approval"):
                refuse_approver(asked, requester, chain, ballot(choice))
        else:
            refuse_approver(asked, requester, chain, ballot(choice))
    assert not asked_for(asked, requester, chain), case


#   own limit                choice               less   may
OWN_LIMITS = [
    (None,                   Choice.APPROVE,      None,  True),
    ({"usd": 1000},          Choice.APPROVE,      None,  True),
    ({"usd": 999},           Choice.APPROVE,      None,  False),
    ({"usd": 0},             Choice.APPROVE,      None,  False),
    # What counts is what they approve, not what was asked.
    ({"usd": 900},           Choice.APPROVE_LESS, 900,   True),
    ({"usd": 900},           Choice.APPROVE_LESS, 901,   False),
    # What is not named is nothing, not everything.
    ({"eur": 5000},          Choice.APPROVE,      None,  False),
    ({"eur": 5000},          Choice.APPROVE_LESS, 1,     False),
    ({},                     Choice.APPROVE,      None,  False),
    # Neither a no nor a question is beyond anybody's limit.
    ({"usd": 999},           Choice.REJECT,       None,  True),
    ({},                     Choice.REJECT,       None,  True),
    ({},                     Choice.RETURN,       None,  True),
]  # fmt: skip


@pytest.mark.parametrize(("own", "choice", "less", "may"), OWN_LIMITS)
def test_an_approver_approves_up_to_their_own_limit(
    own: dict[str, int] | None, choice: Choice, less: int | None, may: bool
) -> None:
    chain = (replaced(STRANGER, approve_up_to=own),)
    asked: RefundRequest = ASKED
    if may:
        refuse_approver(asked, REQUESTER, chain, ballot(choice, less))
        return
    with pytest.raises(Forbidden) as refused:
        refuse_approver(asked, REQUESTER, chain, ballot(choice, less))
    assert (refused.value.code, refused.value.extra) == (
        "above_own_limit",
        {"approve_up_to": (own or {}).get("usd", 0)},
    )
