"""By what a floor on one machine knows its gateway, its devices and its operators' acts.

Beside what ``floor_keys.py`` keeps there is the gateway's certificate, signed by the floor's own
authority and made anew before it ends, and the floor file, which says for which tables the gateway
may speak. That file is a person's to change once it is there: it names the simulated tables first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Final

from deploy.local.ports import LOOPBACK
from deploy.secure.files import write_public
from deploy.secure.floor_keys import FloorKeys
from deploy.secure.folder import Secrets
from streams.console.floor_file import load_inventory

DEVICES: Final = "tables"
"""The one device that all simulated tables are."""


@dataclass(frozen=True, slots=True)
class Trust:
    """The files of one floor, and the flags that name them.

    Attributes:
        floor: the floor file.
        secrets: the floor's secrets.
        gateway: the gateway's name.
    """

    floor: Path
    secrets: Secrets
    gateway: str

    @property
    def keys(self) -> FloorKeys:
        """Where keys and tokens are."""
        return FloorKeys(self.secrets.folder / "keys")

    @property
    def authorities(self) -> Path:
        """What devices are given to know the gateway by."""
        return self.secrets.authorities

    @property
    def devices(self) -> Path:
        """The file of devices."""
        return self.keys.devices

    @property
    def of_gateway(self) -> tuple[str | Path, ...]:
        """The gateway's flags; its key stands in one file with its certificate."""
        return (
            *("--tls-certificate", self.secrets.gateway_certificate),
            *("--tls-key", self.secrets.gateway_certificate),
            *("--device-tokens", self.devices),
            *("--signing-key-file", self.keys.signing_key(self.gateway)),
            # all simulated tables are one device
            *("--device-rate", "100000"),
        )

    @property
    def of_worker(self) -> tuple[str | Path, ...]:
        """The worker's flags."""
        return (
            *("--floor", self.floor, "--gateway-keys", self.keys.gateway_keys),
            *("--command-keys", self.keys.command_keys),
        )

    @property
    def of_console(self) -> tuple[str | Path, ...]:
        """The console's flags."""
        return (
            *("--floor", self.floor, "--command-keys", self.keys.command_keys),
            *("--metrics-ca", self.authorities),
        )

    @property
    def of_devices(self) -> tuple[str | Path, ...]:
        """The simulated tables' flags."""
        token = self.keys.token(DEVICES)
        return ("--token-file", token, "--gateway-ca", self.authorities)

    def prepare(self, tables: Sequence[str], now: datetime) -> None:
        """Make what is not there yet, and the certificate anew where it ends soon.

        Args:
            tables: the simulated tables.
            now: by this machine's clock.

        Raises:
            InventoryFault: the floor file holds what it may not.
            CertificateFault: the authority's files hold something else.
            FileFault: others can read its key.
            ValueError: a file of keys or devices holds something else.
            OSError: a file cannot be read or written.
        """
        if not self.floor.exists():
            write_public(self.floor, self._plan(tables).encode())
        known = {each.name: each for each in load_inventory(self.floor).gateways}
        names = known[self.gateway].keys if self.gateway in known else ()
        self.keys.prepare({self.gateway: names or (self.gateway,)}, {DEVICES: tables})
        self.secrets.prepare_gateways((LOOPBACK, "localhost"), now)

    def _plan(self, tables: Sequence[str]) -> str:
        """Return a floor file with one pit, these tables and the gateway."""
        rows = "\n".join(f'[[pits.tables]]\nname = "{table}"' for table in tables)
        named = ", ".join(f'"{table}"' for table in tables)
        gateway = f'name = "{self.gateway}"\nkey = "{self.gateway}"\ntables = [{named}]'
        return f'[[pits]]\nname = "main"\n\n{rows}\n\n[[gateways]]\n{gateway}\n'
