"""Separation of duties: who asked for a refund never decides about it, whatever key or person they come with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from governor.domain.credentials import Credential, hands
from governor.domain.errors import Conflict
from governor.domain.requests import RefundRequest


def asked_for(request: RefundRequest, requester: Sequence[Credential], chain: Sequence[Credential]) -> bool:
    """Whether whoever comes with `chain` is one who asked for the refund, or acts for one (invariant 14).

    `requester` and `chain` are credentials with their ancestors, themselves first. That is so for the same key,
    for its ancestors and descendants, for those that share an ancestor with it, and for every key of a person
    who answers for any of these.
    """
    people = {request.person, *(one.owner for one in requester)}
    keys = {request.requested_by, *request.credentials}
    return any(one.owner in people or one.id in keys for one in chain)


def in_one_hand(first: Sequence[Credential], second: Sequence[Credential]) -> bool:
    """Whether one person could come with both of these credentials and their ancestors, as one who has seen both secrets.

    An operator could make a key to ask with and a key to approve with, each in the name of somebody else; or one to
    say as a second person what they have said themselves.
    """
    return not hands(first).isdisjoint(hands(second))


def refuse_one_hand(earlier: Iterable[Sequence[Credential]], chain: Sequence[Credential]) -> None:
    """Refuse a word that one who has said it already could have said: it makes no second person.

    `earlier` are the credentials that it was said with before, and `chain` the one it is said with now, each with
    its ancestors.

    Raises:
        Conflict: `second_person_needed`.
    """
    if any(in_one_hand(one, chain) for one in earlier):
        raise Conflict(
            "second_person_needed",
            "One person has seen the secrets of both keys: somebody else has to say it.",
        )
