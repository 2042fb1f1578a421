"""Certificates of a floor on one machine, or of one that has no authority of its own.

An authority signs what servers show; whoever speaks to them is given the authority's certificate
and nothing else. Keys are P-256 (RFC 5480), which every TLS 1.2 and 1.3 has. A private key leaves
this module only as PKCS #8 in PEM (RFC 7468), for a file that its owner alone can read.

What is signed lives for three months and is made anew well before: a certificate that is stolen, or
a name that is given up, is worth nothing soon. The authority itself lives for ten years.
"""

import ipaddress
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final, Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    load_pem_private_key,
)
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from deploy.secure.files import read_private, write_private, write_public

AUTHORITY_LIFE: Final = timedelta(days=3650)
LIFE: Final = timedelta(days=90)
RENEW: Final = timedelta(days=30)
"""One with less time left than this is made anew."""

EARLIER: Final = timedelta(minutes=5)
"""How long before now a certificate begins, for machines whose clocks are behind."""


class CertificateFault(Exception):
    """A file holds no key or certificate of ours; the text says which."""


@dataclass(frozen=True, slots=True)
class Issued:
    """A certificate with its key, and whose signature it has.

    Attributes:
        key: the private key, PEM.
        certificate: the certificate, PEM.
        ends: when it is worth nothing any more.
    """

    key: bytes = field(repr=False)
    certificate: bytes
    ends: datetime

    @property
    def keystore(self) -> bytes:
        """Return both as Kafka takes them from one file, ``ssl.keystore.type=PEM``."""
        return self.key + self.certificate


@dataclass(frozen=True, slots=True)
class Authority:
    """Who signs certificates.

    Attributes:
        key: its private key.
        certificate: its certificate, which those who are to believe it are given.
    """

    key: ec.EllipticCurvePrivateKey = field(repr=False)
    certificate: x509.Certificate

    @classmethod
    def new(cls, name: str, now: datetime) -> Self:
        """Make an authority of a name."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _named(name)
        builder = (
            _begun(subject, subject, key.public_key(), now - EARLIER, now + AUTHORITY_LIFE)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(signs=True), critical=True)
            .add_extension(
                x509.SubjectKeyIdentifier.from_public_key(key.public_key()), critical=False
            )
        )
        return cls(key, builder.sign(key, hashes.SHA256()))

    @classmethod
    def kept(cls, key_file: Path, certificate_file: Path, now: datetime) -> Self:
        """Return the authority of two files; a new one is written where there are none.

        Raises:
            CertificateFault: a file holds something else.
            OSError: they cannot be read or written.
        """
        if not key_file.exists():
            made = cls.new("Pitwatch floor", now)
            write_private(key_file, _pem(made.key))
            write_public(certificate_file, made.pem)
            return made
        try:
            key = load_pem_private_key(read_private(key_file), None)
            certificate = x509.load_pem_x509_certificate(certificate_file.read_bytes())
        except (ValueError, TypeError) as error:
            raise CertificateFault(
                f"{key_file}: expected the key of an authority and its certificate in "
                f"{certificate_file}, found: {error}; remove both to have a new one"
            ) from error
        if not isinstance(key, ec.EllipticCurvePrivateKey):
            raise CertificateFault(
                f"{key_file}: expected a key on an elliptic curve, found another"
            )
        return cls(key, certificate)

    @property
    def pem(self) -> bytes:
        """Return its certificate, PEM."""
        return self.certificate.public_bytes(Encoding.PEM)

    def issue(
        self, name: str, hosts: Sequence[str], now: datetime, life: timedelta = LIFE
    ) -> Issued:
        """Sign a new certificate, for servers and for those who show theirs to a server.

        Args:
            name: who it is of.
            hosts: names and addresses by which it is dialled.
            now: it begins a little before.
            life: from now on; a negative one makes a certificate that has ended.
        """
        key = ec.generate_private_key(ec.SECP256R1())
        ends = now + life
        usages = [ExtendedKeyUsageOID.SERVER_AUTH, ExtendedKeyUsageOID.CLIENT_AUTH]
        own = self.certificate.extensions.get_extension_for_class(x509.SubjectKeyIdentifier)
        begins = min(now - EARLIER, ends - timedelta(days=1))
        builder = (
            _begun(_named(name), self.certificate.subject, key.public_key(), begins, ends)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(signs=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usages), critical=False)
            .add_extension(
                x509.AuthorityKeyIdentifier.from_issuer_subject_key_identifier(own.value),
                critical=False,
            )
        )
        if hosts:
            names = x509.SubjectAlternativeName([_host(each) for each in hosts])
            builder = builder.add_extension(names, critical=False)
        signed = builder.sign(self.key, hashes.SHA256())
        return Issued(_pem(key), signed.public_bytes(Encoding.PEM), ends)


def due(certificate_file: Path, now: datetime, hosts: Sequence[str] = ()) -> bool:
    """Return whether a certificate is to be made anew: it is absent, ends soon, or lacks a name.

    Args:
        certificate_file: PEM; what else stands in it is passed over.
        now: by this machine's clock.
        hosts: names and addresses that it must have.
    """
    try:
        certificate = x509.load_pem_x509_certificates(read_private(certificate_file))[0]
    except (FileNotFoundError, ValueError):
        return True
    try:
        names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
        lacking = set(map(_host, hosts)) - set(names)
    except x509.ExtensionNotFound:
        lacking = set(map(_host, hosts))
    return bool(lacking) or certificate.not_valid_after_utc - now < RENEW


def today() -> datetime:
    """Return the time by this machine's clock."""
    return datetime.now(UTC)


def _begun(
    subject: x509.Name,
    issuer: x509.Name,
    key: ec.EllipticCurvePublicKey,
    begins: datetime,
    ends: datetime,
) -> x509.CertificateBuilder:
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(begins)
        .not_valid_after(ends)
    )


def _named(name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _host(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


def _usage(*, signs: bool) -> x509.KeyUsage:
    return x509.KeyUsage(
        digital_signature=True,
        key_cert_sign=signs,
        crl_sign=signs,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
