"""Certificates of an authority of a test's own, for servers on this machine."""

from __future__ import annotations

import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives.asymmetric.ec import (
    SECP256R1,
    EllipticCurvePrivateKey,
    generate_private_key,
)
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

_BEGAN = datetime(2020, 1, 1, tzinfo=UTC)


class Authority:
    """Whoever believes it (`trusted`) believes the servers it has named (`server_for`)."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = generate_private_key(SECP256R1())
        self._certificate = _signed(
            self._key, "authority of tests", self._key, _name("authority of tests"), None
        )

    def trusted(self) -> ssl.SSLContext:
        """What a client believes: this authority and no other."""
        pem = self._certificate.public_bytes(Encoding.PEM).decode()
        return ssl.create_default_context(cadata=pem)

    def server_for(self, host: str) -> ssl.SSLContext:
        """What a server of this name speaks TLS with."""
        key = generate_private_key(SECP256R1())
        certificate = _signed(key, host, self._key, self._certificate.subject, host)
        path = self._folder / f"{host}.pem"
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        path.write_bytes(private + certificate.public_bytes(Encoding.PEM))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(path)
        return context


def _name(word: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, word)])


def _signed(
    key: EllipticCurvePrivateKey,
    word: str,
    by: EllipticCurvePrivateKey,
    issuer: x509.Name,
    host: str | None,
) -> x509.Certificate:
    """A certificate of an authority, or of a server where there is a host."""
    builder = (
        x509.CertificateBuilder()
        .subject_name(_name(word))
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(_BEGAN)
        .not_valid_after(_BEGAN + timedelta(days=36500))
        .add_extension(x509.BasicConstraints(ca=host is None, path_length=None), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False)
        .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(by.public_key()), critical=False)
    )
    if host is not None:
        builder = builder.add_extension(x509.SubjectAlternativeName([x509.DNSName(host)]), critical=False)
    return builder.sign(by, SHA256())
