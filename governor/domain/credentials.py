"""Who calls: roles, people, and the keys they hold (`gvk_test_<id>_<secret><crc>`)."""

from __future__ import annotations

import hashlib
import hmac
import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from governor.domain.errors import Unauthenticated


class Role(StrEnum):
    """What a credential is for; the permission table says what each may do."""

    AGENT = "agent"
    APPROVER = "approver"
    OPERATOR = "operator"
    AUDITOR = "auditor"


class Kind(StrEnum):
    """Whether a person or a program holds the credential."""

    HUMAN = "human"
    PROGRAM = "program"


@dataclass(frozen=True)
class Credential:
    """What somebody may do in one environment: by a key, or as a person's membership, which no key opens.

    `owner` names the person who answers for it; a membership's is its person's login.

    `agent` is the identity that agent limits count: a new key of the same agent is no fresh allowance.
    """

    id: str
    environment: str
    name: str
    role: Role
    kind: Kind
    owner: str
    agent: str
    parent: str | None
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    approve_up_to: Mapping[str, int] | None = None
    """What an approver may approve at once: minor units by currency. None: any amount; a currency that is not
    named: none of it."""
    rotated_at: datetime | None = None
    previous_until: datetime | None = None
    """Until when the secret before the last rotation still opens."""
    last_used_at: datetime | None = None
    """To the minute."""
    revoked_reason: str | None = None
    person: str | None = None
    """Whose membership it is (governor.domain.people); None for a key."""
    suspended_at: datetime | None = None
    """Since when its person is disabled."""
    known_to: tuple[str, ...] = ()
    """People beside its owner who have seen a secret of it: who made it or replaced that, and whoever had seen
    theirs. Whoever operates the host is not named, and a membership has no secret to see."""

    def may_approve(self, amount_minor: int, currency: str) -> bool:
        """Whether one approval of this amount is within what the credential itself may approve."""
        return self.approve_up_to is None or amount_minor <= self.approve_up_to.get(currency, 0)

    def live_at(self, now: datetime) -> bool:
        """Whether it may be used at `now` (UTC)."""
        ended = self.revoked_at is not None or (self.expires_at is not None and now >= self.expires_at)
        return not ended and self.suspended_at is None


@dataclass(frozen=True)
class Hashes:
    """What is kept of a credential's secrets: the present one, and the one before its last rotation.

    A membership has none.
    """

    current: str | None
    previous: str | None = None


def alive(chain: Sequence[Credential], now: datetime) -> bool:
    """Whether a credential, itself first in `chain`, may be used: with all its ancestors up to the one without.

    An ancestor that is missing is one that nobody can vouch for.
    """
    return bool(chain) and chain[-1].parent is None and all(one.live_at(now) for one in chain)


def hands(chain: Sequence[Credential]) -> frozenset[str]:
    """Everybody who could come with these credentials: who answers for them, and who has seen a secret of theirs."""
    return frozenset(name for one in chain for name in (one.owner, *one.known_to))


_KEY = re.compile(r"gvk_test_([0-9a-z]{26})_([0-9A-Za-z]{43})([0-9a-f]{8})")


def render_key(credential_id: str, secret: str) -> str:
    """The key to hand out once: id, 43 characters of secret, and a CRC-32 that secret scanners can check."""
    body = f"gvk_test_{credential_id.removeprefix('cred_')}_{secret}"
    return f"{body}{zlib.crc32(body.encode()):08x}"


def read_key(text: str) -> tuple[str, str]:
    """Split a presented key into credential id and secret; a wrong checksum needs no database.

    Raises:
        Unauthenticated: it is no key of ours.
    """
    match = _KEY.fullmatch(text)
    if match is None or int(match[3], 16) != zlib.crc32(text[:-8].encode()):
        raise Unauthenticated("credential_invalid", "The key is not valid.")
    return f"cred_{match[1]}", match[2]


def secret_hash(secret: str, pepper: bytes) -> str:
    """What is stored of a secret: HMAC-SHA256 under a pepper that is not in the database."""
    return hmac.new(pepper, secret.encode(), hashlib.sha256).hexdigest()


def secret_matches(secret: str, stored: str, pepper: bytes) -> bool:
    """Compare in constant time."""
    return hmac.compare_digest(secret_hash(secret, pepper), stored)
