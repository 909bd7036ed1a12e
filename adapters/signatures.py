"""Ed25519 signatures, with keys in PEM files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from governor.domain.anchors import Signature


def name_of(key: Ed25519PublicKey) -> str:
    """How a key is called: the beginning of the hash of its 32 bytes."""
    return hashlib.sha256(key.public_bytes_raw()).hexdigest()[:16]


class SigningKey:
    """`governor.ports.signing.Signer` with the private key in a file."""

    def __init__(self, path: Path) -> None:
        try:
            key = load_pem_private_key(path.read_bytes(), password=None)
        except (OSError, ValueError, TypeError):
            raise ValueError(f"{path} holds no private key that can be read") from None
        if not isinstance(key, Ed25519PrivateKey):
            raise ValueError(f"{path} holds no Ed25519 key")  # noqa: TRY004  the file is wrong, not a type
        self._key = key

    @property
    def public(self) -> Ed25519PublicKey:
        """Its public half."""
        return self._key.public_key()

    def sign(self, message: bytes) -> Signature:
        """The signature over exactly these bytes."""
        return Signature(name_of(self.public), self._key.sign(message).hex())


class VerifyingKeys:
    """`governor.ports.signing.KnownKeys` with public keys, several while one is replaced by the next."""

    def __init__(self, keys: Iterable[Ed25519PublicKey]) -> None:
        self._keys = {name_of(key): key for key in keys}

    def made(self, signature: Signature, message: bytes) -> bool:
        """Whether one of these keys made this signature over exactly these bytes."""
        key = self._keys.get(signature.key)
        if key is None:
            return False
        try:
            key.verify(bytes.fromhex(signature.signature), message)
        except (InvalidSignature, ValueError):
            return False
        return True


def public_key(path: Path) -> Ed25519PublicKey:
    """The public key in a file.

    Raises:
        ValueError: there is none.
    """
    try:
        key = load_pem_public_key(path.read_bytes())
    except (OSError, ValueError):
        raise ValueError(f"{path} holds no public key that can be read") from None
    if not isinstance(key, Ed25519PublicKey):
        raise ValueError(f"{path} holds no Ed25519 key")  # noqa: TRY004  the file is wrong, not a type
    return key


def make_key(path: Path) -> tuple[str, Path]:
    """A new key in a file that only its owner can read, its public half beside it; its name, and where that is.

    Raises:
        FileExistsError: one of the files is there already; no key is ever overwritten, and none is left by half.
    """
    key, beside = Ed25519PrivateKey.generate(), path.with_name(path.name + ".pub")
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    public = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    with ExitStack() as undo:
        for where, content, mode in ((path, private, 0o600), (beside, public, 0o644)):
            with os.fdopen(os.open(where, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode), "wb") as file:
                undo.callback(where.unlink)
                file.write(content)
        undo.pop_all()  # both halves are there
    return name_of(key.public_key()), beside
