"""Who may do what on a floor, as a worker is told it by files, read again when they change."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from schemas.keys import KeyFault, NamedKey, by_name, load_keys
from schemas.watched import Watched
from streams.console.floor_file import load_inventory
from streams.console.inventory import Inventory, InventoryFault
from streams.shell.rights import CLOCK, Grant, Grants, Rights, is_clock


def key_problems(inventory: Inventory, keys: Sequence[NamedKey]) -> list[str]:
    """Return everything that keeps a floor's gateways from being known by their keys."""
    known = {key.name for key in keys}
    problems = []
    if not any(map(is_clock, known)):
        problems.append(
            f"the file of keys: expected the workers' own key {CLOCK}, found none; add {CLOCK}:HEX"
        )
    if not inventory.gateways:
        problems.append("the floor file: expected a gateway, found none; write [[gateways]]")
    used: set[str] = set()
    for gateway in inventory.gateways:
        used.update(gateway.keys)
        if not gateway.keys:
            problems.append(
                f"gateway {gateway.name}: expected a key, found none; write key = and its name"
            )
        problems += [
            f"gateway {gateway.name}: expected its key {name} among the keys, found no such; add "
            f"{name}:HEX"
            for name in gateway.keys
            if name not in known or is_clock(name)
        ]
    problems += [
        f"key {key.name}: expected a gateway that has it, found none; take it out"
        for key in keys
        if key.name not in used and not is_clock(key.name)
    ]
    problems += [
        f"table {table.name}: expected a gateway that speaks for it, found none; add it to one"
        for table in inventory.tables()
        if not inventory.gateways_of(table.name)
    ]
    return problems


def grants_of(inventory: Inventory, keys: Sequence[NamedKey]) -> Grants:
    """Return whose records are taken.

    Raises:
        KeyFault: there is no key of the workers' own, or not one gateway that is known by a key.
    """
    named = {key.name: key for key in keys if not is_clock(key.name)}
    clock = tuple(key for key in keys if is_clock(key.name))
    gateways = {
        each.name: Grant(
            frozenset(each.tables), tuple(named[name] for name in each.keys if name in named)
        )
        for each in inventory.gateways
    }
    if not clock or not any(grant.keys for grant in gateways.values()):
        raise KeyFault("\n".join(key_problems(inventory, keys)))
    return Grants(gateways, clock)


@dataclass(frozen=True, slots=True)
class _Floor:
    inventory: Inventory
    grants: Grants | None


class FloorRights:
    """Rights as a floor's files say them.

    Args:
        floor: the inventory; without one no pit is asked for.
        gateway_keys: the keys that gateways sign with; without them no signature is asked for.
        command_keys: keys of commands that do not change.
        command_keys_file: more of them.

    Raises:
        OSError: a file cannot be read.
        ValueError: a file holds what it may not.
    """

    def __init__(
        self,
        floor: Path | None,
        gateway_keys: Path | None,
        command_keys: Mapping[str, bytes],
        command_keys_file: Path | None,
    ) -> None:
        self._fixed = command_keys
        self._floor: Watched[_Floor] | None = None
        self._keys: Watched[tuple[NamedKey, ...]] | None = None
        if floor is not None:
            named = floor

            def load() -> _Floor:
                inventory = load_inventory(named)
                if gateway_keys is None:
                    return _Floor(inventory, None)
                return _Floor(inventory, grants_of(inventory, load_keys(gateway_keys)))

            paths = [floor] if gateway_keys is None else [floor, gateway_keys]
            self._floor = Watched("floor", paths, load)
        if command_keys_file is not None:
            file = command_keys_file
            self._keys = Watched("command_keys", [file], lambda: load_keys(file))
        self._made_of: tuple[object, object] | None = None
        self._rights = Rights()

    def current(self) -> Rights:
        """Return the rights at this moment; the same object while they are the same."""
        floor = None if self._floor is None else self._floor.current()
        keys = () if self._keys is None else self._keys.current()
        before = self._made_of
        if before is None or before[0] is not floor or before[1] is not keys:
            self._made_of = floor, keys
            self._rights = Rights(
                grants=None if floor is None else floor.grants,
                pits=None if floor is None else floor.inventory.pit_of,
                command_keys={**self._fixed, **by_name(keys)},
            )
        return self._rights

    def tell(self, failed: Callable[[str], None]) -> None:
        """Have ``failed`` told which file cannot be used after it changed."""
        for watched in (self._floor, self._keys):
            if watched is not None:
                watched.failed = failed


def rights_from(
    floor: Path | None,
    gateway_keys: Path | None,
    command_keys: Mapping[str, bytes],
    command_keys_file: Path | None,
) -> FloorRights:
    """Return the rights that a worker's flags name.

    Raises:
        click.ClickException: a file cannot be used.
    """
    if gateway_keys is not None and floor is None:
        raise click.UsageError(
            "--gateway-keys: expected --floor beside it, which says whose they are, found none"
        )
    try:
        return FloorRights(floor, gateway_keys, command_keys, command_keys_file)
    except InventoryFault as fault:
        raise click.ClickException(f"{floor} cannot be used:\n{fault}") from fault
    except KeyFault as fault:
        raise click.ClickException(f"the keys cannot be used: {fault}") from fault
    except OSError as error:
        raise click.ClickException(
            f"{error.filename}: expected a file of keys, found: {error.strerror}"
        ) from error
