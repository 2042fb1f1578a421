"""The keys and tokens of a floor: made once, kept, and each its owner's alone."""

from pathlib import Path
from stat import S_IMODE

from deploy.cli.rights import grants_of
from deploy.secure.floor_keys import FloorKeys
from producers.gateway.devices import digest_of, load_devices
from schemas.keys import load_keys
from streams.console.floor_file import parse_inventory

FLOOR = """
[[pits]]
name = "main"
[[pits.tables]]
name = "BJ-01"
[[gateways]]
name = "gw-1"
key = "gw-1"
tables = ["BJ-01"]
"""


def test_what_is_made_fits_together_and_is_kept(tmp_path: Path) -> None:
    kept = FloorKeys(tmp_path / "keys")
    kept.prepare({"gw-1": ["gw-1"], "gw-2": ["gw-2"]}, {"shoe/1": ["BJ-01"]})
    first = {path.name: path.read_bytes() for path in kept.folder.iterdir()}
    assert {S_IMODE(path.stat().st_mode) for path in kept.folder.iterdir()} == {0o600}
    more = {"gw-1": ["gw-1"], "gw-2": ["gw-2"], "gw-3": ["gw-3"]}
    kept.prepare(more, {"shoe/1": ["BJ-01"], "shoe/2": ["BJ-02"]})
    for name in first.keys() - {"gateway-keys", "devices.json"}:
        assert (kept.folder / name).read_bytes() == first[name]
    (own,) = load_keys(kept.signing_key("gw-1"))
    all_keys = load_keys(kept.gateway_keys)
    assert own in all_keys
    grants = grants_of(parse_inventory(FLOOR), all_keys)
    assert grants.gateways["gw-1"].keys == (own,)
    assert [key.name for key in grants.clock] == ["clock"]
    devices = load_devices(kept.devices).devices
    assert [device.tables for device in devices] == [("BJ-01",), ("BJ-02",)]
    token = kept.token("shoe/1").read_text().strip()
    assert devices[0].tokens[0].digest == digest_of(token)


def test_a_key_is_replaced_by_naming_another_before_it(tmp_path: Path) -> None:
    kept = FloorKeys(tmp_path)
    kept.prepare({"gw-1": ["a"]}, {})
    (old,) = load_keys(kept.signing_key("gw-1"))
    kept.prepare({"gw-1": ["b", "a"]}, {})
    new, still = load_keys(kept.signing_key("gw-1"))
    assert (new.name, still) == ("b", old)
    kept.prepare({"gw-1": ["b"]}, {})
    assert load_keys(kept.signing_key("gw-1")) == (new,)
    assert [key.name for key in load_keys(kept.gateway_keys)] == ["clock", "b"]
