"""`pitwatch gateway` says which of its files cannot be used, and listens to nobody unproven."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from deploy.cli.main import main
from deploy.secure.certificates import Authority, today
from deploy.secure.floor_keys import FloorKeys

EVERYWHERE = ("--host", "0.0.0.0")  # noqa: S104  it is refused


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    issued = Authority.new("floor", today()).issue("gateway", ["localhost"], today())
    (tmp_path / "certificate.pem").write_bytes(issued.certificate)
    (tmp_path / "key.pem").write_bytes(issued.key)
    (tmp_path / "wrong").write_text("secret words")
    FloorKeys(tmp_path).prepare({"gw-1": ["gw-1"]}, {"shoe-1": ["BJ-01"]})
    return tmp_path


def gateway(folder: Path, *arguments: str) -> Result:
    named = [folder / each.removeprefix("@") if each[0] == "@" else each for each in arguments]
    options = ["gateway", "--spool", str(folder / "spool"), *map(str, named)]
    return CliRunner().invoke(main, options)


TLS = ("--tls-certificate", "@certificate.pem", "--tls-key", "@key.pem")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (TLS[:2], "--tls-key: expected it beside --tls-certificate, found none"),
        (TLS[2:], "--tls-certificate: expected it beside --tls-key, found none"),
        (
            ("--device-ca", "@certificate.pem"),
            "--tls-certificate: expected it beside --device-ca, found none",
        ),
        (
            (*TLS, "--device-ca", "@certificate.pem"),
            "--device-tokens: expected it beside --device-ca, found none",
        ),
        (("--device-tokens", "@absent"), "absent: expected a file of devices, found: No such"),
        (("--device-tokens", "@wrong"), "expected a file that `pitwatch devices` wrote"),
        ((*TLS[:3], "@wrong"), "expected a certificate with its key"),
        (("--signing-key-file", "@absent"), "absent: expected a file with a key, found: No such"),
        (("--signing-key-file", "@wrong"), "line 1: expected NAME:HEX"),
        (EVERYWHERE, "devices are not authenticated"),
        ((*EVERYWHERE, *TLS), "devices are not authenticated"),
        ((*EVERYWHERE, "--device-tokens", "@devices.json"), "devices are not authenticated"),
    ],
)
def test_what_is_not_enough_or_cannot_be_used_is_said(
    folder: Path, arguments: tuple[str, ...], said: str
) -> None:
    result = gateway(folder, *arguments)
    assert result.exit_code in (1, 2)
    assert said in result.output
    assert "secret words" not in result.output
    assert "PRIVATE" not in result.output
    assert not (folder / "spool").exists()
