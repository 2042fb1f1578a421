"""A floor's own authority and what it signs; whose files are their owner's alone."""

import stat
from datetime import timedelta
from pathlib import Path

import pytest
from cryptography import x509

from deploy.secure.certificates import (
    LIFE,
    RENEW,
    Authority,
    CertificateFault,
    due,
    today,
)
from deploy.secure.files import FileFault, read_private, write_private
from deploy.secure.folder import Secrets

NOW = today()


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_what_is_absent_is_made_and_what_is_there_is_kept(tmp_path: Path) -> None:
    kept = Secrets(tmp_path / "secrets")
    kept.prepare(["127.0.0.1"], ["admin", "gateway-a/b"], NOW)
    before = {path: path.read_bytes() for path in kept.folder.rglob("*") if path.is_file()}
    assert {path.name for path in before} == {
        *("authority.key", "authority.pem", "kafka.pem", "admin", "gateway-a%2Fb")
    }
    kept.prepare(["127.0.0.1"], ["admin", "gateway-a/b", "worker"], NOW)
    assert {path: path.read_bytes() for path in before} == before
    assert kept.password("worker") != kept.password("admin")
    assert len(kept.password("admin")) == 43


def test_secrets_are_their_owners_alone(tmp_path: Path) -> None:
    kept = Secrets(tmp_path / "secrets")
    kept.prepare(["127.0.0.1"], ["admin"], NOW)
    assert mode(kept.folder) == mode(kept.folder / "passwords") == 0o700
    for path in kept.folder.rglob("*"):
        if path.is_file():
            assert mode(path) == (0o644 if path == kept.authorities else 0o600), path


def test_a_secret_that_others_can_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "authority.key"
    write_private(path, b"secret")
    assert read_private(path) == b"secret"
    path.chmod(0o640)
    with pytest.raises(FileFault, match="mode 0640"):
        read_private(path)


def test_kafkas_certificate_is_made_anew_before_it_ends(tmp_path: Path) -> None:
    kept = Secrets(tmp_path)
    kept.prepare(["127.0.0.1"], [], NOW)
    first = kept.keystore.read_bytes()
    kept.prepare(["127.0.0.1"], [], NOW + LIFE - RENEW - timedelta(minutes=1))
    assert kept.keystore.read_bytes() == first
    kept.prepare(["127.0.0.1"], [], NOW + LIFE - RENEW + timedelta(minutes=1))
    assert kept.keystore.read_bytes() != first
    assert not due(kept.keystore, NOW + LIFE - RENEW)


def test_a_certificate_names_who_is_dialled(tmp_path: Path) -> None:
    issued = Authority.new("floor", NOW).issue("kafka", ["10.0.0.1", "kafka.test"], NOW)
    certificate = x509.load_pem_x509_certificate(issued.certificate)
    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    assert [str(each) for each in names.get_values_for_type(x509.IPAddress)] == ["10.0.0.1"]
    assert names.get_values_for_type(x509.DNSName) == ["kafka.test"]
    assert certificate.not_valid_after_utc == issued.ends.replace(microsecond=0)
    assert b"PRIVATE" in issued.key
    assert "PRIVATE" not in repr(issued)


def test_files_that_hold_something_else_are_named(tmp_path: Path) -> None:
    kept = Secrets(tmp_path)
    kept.prepare(["127.0.0.1"], [], NOW)
    write_private(tmp_path / "authority.key", b"no key")
    with pytest.raises(CertificateFault, match=r"authority\.key"):
        kept.prepare(["127.0.0.1"], [], NOW)


def test_a_new_password_takes_the_place_of_the_old_one_only_when_it_was_taken(
    tmp_path: Path,
) -> None:
    kept = Secrets(tmp_path)
    kept.prepare(["127.0.0.1"], ["worker"], NOW)
    old = kept.password("worker")
    with pytest.raises(RuntimeError), kept.new_password("worker"):
        raise RuntimeError
    assert kept.password("worker") == old
    with kept.new_password("worker") as new:
        assert kept.password("worker") == old
    assert kept.password("worker") == new
    assert [path.name for path in (tmp_path / "passwords").iterdir()] == ["worker"]
