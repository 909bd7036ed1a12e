"""Everything that is done with people, in one hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from governor.domain.people import Lifetimes
from governor.ports.identity import IdentityProvider
from governor.ports.people import Codes, Passwords, PeopleStore
from governor.ports.store import UnitOfWork
from governor.ports.world import IdFactory
from governor.usecases.grant_membership import GrantMembership
from governor.usecases.manage_credentials import ManageCredentials
from governor.usecases.manage_people import ManagePeople
from governor.usecases.own_account import OwnAccount
from governor.usecases.prove_person import ProvePerson
from governor.usecases.sessions import Sessions
from governor.usecases.sign_in import SignIn
from governor.usecases.sign_in_elsewhere import Mapped, SignInElsewhere


@dataclass(frozen=True)
class People:
    """Let them in, keep their sessions and their accounts, grant them what they may do."""

    sign_in: SignIn
    sessions: Sessions
    elsewhere: SignInElsewhere | None
    """None when no identity provider is set."""
    account: OwnAccount
    manage: ManagePeople
    grant: GrantMembership


def people_of(
    people: PeopleStore,
    store: UnitOfWork,
    passwords: Passwords,
    codes: Codes,
    ids: IdFactory,
    lifetimes: Lifetimes,
    real_now: Callable[[], datetime],
    pepper: bytes,
    credentials: ManageCredentials,
    provider: IdentityProvider | None,
    mapped: Mapped,
) -> People:
    """`real_now` is the database's time, never moved."""
    prove = ProvePerson(people, passwords, codes, store.now, real_now, pepper)
    sessions = Sessions(people, prove, ids, lifetimes, store.now, pepper)
    manage = ManagePeople(people, store, passwords, ids, store.now)
    account = OwnAccount(people, passwords, codes, sessions, prove, store.now, pepper)
    grant = GrantMembership(people, store, ids)
    elsewhere = (
        None
        if provider is None
        else SignInElsewhere(provider, mapped, people, sessions, manage, grant, credentials)
    )
    return People(SignIn(prove, sessions), sessions, elsewhere, account, manage, grant)
