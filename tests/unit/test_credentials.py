import hashlib
import hmac
import zlib
from datetime import datetime, timedelta

import pytest

from governor.domain import credentials
from governor.domain.credentials import (
    Credential,
    Kind,
    Role,
    read_key,
    render_key,
    secret_hash,
    secret_matches,
)
from governor.domain.errors import Unauthenticated
from tests.unit.values import NOON

ID = "cred_" + "01kb7q3zj9f0d8v5n2m4c6x1ya"
SECRET = "aB3" * 14 + "z"
PEPPER = b"pepper of this test"


def test_a_key_shows_its_kind_its_id_its_secret_and_a_checksum() -> None:
    key = render_key(ID, SECRET)
    body = f"gvk_test_01kb7q3zj9f0d8v5n2m4c6x1ya_{SECRET}"
    assert key == f"{body}{zlib.crc32(body.encode()):08x}"
    assert read_key(key) == (ID, SECRET)


def test_every_single_wrong_character_is_found_without_a_database() -> None:
    key = render_key(ID, SECRET)
    for position in range(len(key)):
        for wrong in ("0", "x", "_", "A"):
            typed = key[:position] + wrong + key[position + 1 :]
            if typed != key:
                with pytest.raises(Unauthenticated):
                    read_key(typed)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "gvk_test_",
        render_key(ID, SECRET)[:-1],
        render_key(ID, SECRET) + "0",
        render_key(ID, SECRET) + "\n",
        " " + render_key(ID, SECRET),
        render_key(ID, SECRET).upper(),
        render_key(ID, SECRET).replace("gvk_test", "gvk_live"),
        render_key(ID, SECRET[:-1]),
        render_key(ID, SECRET[:-1] + "-"),
        render_key(ID, SECRET[:-1] + "é"),
        "sk_test_4eC39HqLyjWDarjtT1zdp7dc",
    ],
)
def test_what_is_no_key_of_ours_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(Unauthenticated) as refused:
        read_key(text)
    assert refused.value.code == "credential_invalid"
    assert not text or text not in str(refused.value)


def test_only_a_peppered_hash_is_kept_of_a_secret() -> None:
    stored = secret_hash(SECRET, PEPPER)
    assert stored == hmac.new(PEPPER, SECRET.encode(), hashlib.sha256).hexdigest()
    assert SECRET not in stored
    assert stored != secret_hash(SECRET, b"another pepper")


def test_a_secret_matches_its_own_hash_alone() -> None:
    stored = secret_hash(SECRET, PEPPER)
    assert secret_matches(SECRET, stored, PEPPER)
    assert not secret_matches(SECRET[:-1] + "y", stored, PEPPER)
    assert not secret_matches(SECRET, stored, b"another pepper")
    assert not secret_matches(SECRET, "", PEPPER)


def test_secrets_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = []

    def watched(one: str, other: str) -> bool:
        compared.append((one, other))
        return hmac.compare_digest(one, other)

    class Watched:
        new = staticmethod(hmac.new)
        compare_digest = staticmethod(watched)

    monkeypatch.setattr(credentials, "hmac", Watched)
    assert not secret_matches(SECRET, "0" * 64, PEPPER)
    assert compared == [(secret_hash(SECRET, PEPPER), "0" * 64)]


LATER, EARLIER = NOON + timedelta(seconds=1), NOON - timedelta(seconds=1)

#   expires    revoked    lives at noon
LIVES = [
    (None,     None,      True),
    (LATER,    None,      True),
    (NOON,     None,      False),
    (EARLIER,  None,      False),
    (None,     EARLIER,   False),
    (LATER,    EARLIER,   False),
    # Revoked is revoked, whatever a clock says.
    (None,     LATER,     False),
]  # fmt: skip


@pytest.mark.parametrize(("expires", "revoked", "lives"), LIVES)
def test_a_credential_lives_until_it_expires_or_is_revoked(
    expires: datetime | None, revoked: datetime | None, lives: bool
) -> None:
    credential = Credential(
        ID, "test", "bot", Role.AGENT, Kind.PROGRAM, "ana", "bot", None, EARLIER, expires, revoked
    )
    assert credential.live_at(NOON) is lives
