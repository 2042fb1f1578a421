"""The keys of a floor's own processes and the tokens of its devices, kept in a folder.

| file | holds | is for |
|---|---|---|
| ``gateway-NAME.key`` | the gateway's key, as ``--signing-key-file`` takes it | that gateway |
| ``gateway-keys`` | the keys of all gateways, and the workers' own | workers |
| ``command-keys`` | the keys of operators' commands | consoles and workers |
| ``devices.json`` | the devices, with their tokens' digests | gateways |
| ``device-NAME.token`` | a device's token | that device |

What is there is kept, so that a floor that starts again has the keys it had; what is missing is
made at random. All of it is its owner's alone.
"""

import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from deploy.secure.files import locked, write_private
from producers.gateway.devices import (
    DeviceFile,
    encode_devices,
    load_devices,
    new_token,
    with_device,
    with_tables,
)
from schemas.keys import NamedKey, key_line, load_keys
from streams.shell.rights import CLOCK, is_clock

KEY_BYTES: Final = 32
CONSOLE: Final = "console"


@dataclass(frozen=True, slots=True)
class FloorKeys:
    """Where the keys of a floor are; see the module's table.

    Args:
        folder: the folder.
    """

    folder: Path

    @property
    def gateway_keys(self) -> Path:
        """The workers' ``--gateway-keys``."""
        return self.folder / "gateway-keys"

    @property
    def command_keys(self) -> Path:
        """The workers' and consoles' ``--command-keys``."""
        return self.folder / "command-keys"

    @property
    def devices(self) -> Path:
        """The gateways' ``--device-tokens``."""
        return self.folder / "devices.json"

    def signing_key(self, gateway: str) -> Path:
        """Return a gateway's ``--signing-key-file``."""
        return self.folder / f"gateway-{gateway}.key"

    def token(self, device: str) -> Path:
        """Return the file with a device's token."""
        return self.folder / f"device-{device.replace('/', '_')}.token"

    def prepare(
        self, gateways: Mapping[str, Sequence[str]], devices: Mapping[str, Sequence[str]]
    ) -> None:
        """Make what is not there yet, and take out keys that no gateway has any more.

        Args:
            gateways: the names of each gateway's keys, by its name, as the floor file has them; it
                signs with the first.
            devices: the tables of each device, by its name.

        Raises:
            OSError: the folder cannot be read or written.
            ValueError: a file in it holds what it may not.
        """
        self.folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with locked(self.folder):
            self._prepare(gateways, devices)

    def _prepare(
        self, gateways: Mapping[str, Sequence[str]], devices: Mapping[str, Sequence[str]]
    ) -> None:
        known = {key.name: key for key in _kept(self.gateway_keys)}
        all_keys = [key for key in known.values() if is_clock(key.name)] or [new_key(CLOCK)]
        for gateway, names in gateways.items():
            own = [known.get(name) or new_key(name) for name in names]
            _write(self.signing_key(gateway), own)
            all_keys += own
        _write(self.gateway_keys, all_keys)
        _write(self.command_keys, [*_kept(self.command_keys)] or [new_key(CONSOLE)])
        file = load_devices(self.devices) if self.devices.exists() else DeviceFile()
        there = {device.name for device in file.devices}
        for device, tables in devices.items():
            if device in there:
                file = with_tables(file, device, tables)
            else:
                token = new_token()
                file = with_device(file, device, tables, token, time.time_ns() // 1000)
                write_private(self.token(device), f"{token}\n".encode())
        write_private(self.devices, encode_devices(file))


def new_key(name: str) -> NamedKey:
    """Return a key of a name, made at random."""
    return NamedKey(name, secrets.token_bytes(KEY_BYTES))


def _kept(path: Path) -> tuple[NamedKey, ...]:
    return load_keys(path) if path.exists() else ()


def _write(path: Path, keys: Sequence[NamedKey]) -> None:
    write_private(path, "".join(map(key_line, keys)).encode())
