"""By what a floor on one machine knows its gateway and devices: made, kept, and grown."""

from pathlib import Path

import pytest

from deploy.cli.rights import FloorRights
from deploy.cli.securing import floor_trust
from deploy.secure.certificates import today
from deploy.secure.folder import Secrets
from deploy.secure.trust import DEVICES, Trust
from producers.gateway.devices import device_of, load_devices
from producers.gateway.tls import load_context
from streams.console.inventory import InventoryFault


def trust_in(folder: Path) -> Trust:
    kept = Secrets(folder / "secrets")
    kept.prepare(("localhost",), (), today())
    return Trust(folder / "floor.toml", kept, "gateway")


def test_what_is_made_is_what_the_processes_take(tmp_path: Path) -> None:
    trust = trust_in(tmp_path)
    trust.prepare(["BJ-01", "CS-01"], today())
    rights = FloorRights(trust.floor, trust.keys.gateway_keys, {}, trust.keys.command_keys)
    grants = rights.current().grants
    assert grants is not None
    assert grants.gateways["gateway"].tables == {"BJ-01", "CS-01"}
    certificate = trust.of_gateway[1]
    assert isinstance(certificate, Path)
    assert load_context(certificate, certificate, None)
    assert device_of(load_devices(trust.devices), DEVICES).tables == ("BJ-01", "CS-01")


def test_what_is_there_is_kept_and_more_tables_may_be_dealt_at(tmp_path: Path) -> None:
    trust = trust_in(tmp_path)
    trust.prepare(["BJ-01"], today())
    kept = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    trust.prepare(["BJ-01", "CS-01"], today())
    changed = {path.name for path, content in kept.items() if path.read_bytes() != content}
    assert changed == {"devices.json"}
    assert device_of(load_devices(trust.devices), DEVICES).tables == ("BJ-01", "CS-01")


def test_a_key_that_the_floor_file_names_anew_is_made(tmp_path: Path) -> None:
    trust = trust_in(tmp_path)
    trust.prepare(["BJ-01"], today())
    text = trust.floor.read_text()
    trust.floor.write_text(text.replace('key = "gateway"', 'key = ["next", "gateway"]'))
    trust.prepare(["BJ-01"], today())
    names = [line.partition(":")[0] for line in trust.keys.gateway_keys.read_text().split()]
    assert names == ["clock", "next", "gateway"]
    trust.floor.write_text("pits = 1")
    with pytest.raises(InventoryFault):
        trust.prepare(["BJ-01"], today())


def test_a_floors_first_file_names_its_simulated_tables(tmp_path: Path) -> None:
    kept = Secrets(tmp_path / "secrets")
    kept.prepare(("localhost",), (), today())
    trust = floor_trust(tmp_path, kept, 5)
    assert trust.floor.read_text().count("[[pits.tables]]") == 5
