"""The option `--registry` of whatever reads or writes topics, and what a process does with it."""

import functools
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from deploy.local.caches import cache_folder
from schemas.codec import CODEC

if TYPE_CHECKING:
    from schemas.registry import Registry

FOLDER: Final = "registry"
"""Under the user's cache folder."""

R = TypeVar("R")

_log: Final = logging.getLogger(__name__)

REGISTRY_HELP: Final = (
    "A schema registry with Confluent's API: its wire format is written, and both are read. With a "
    "user and a password in PITWATCH_REGISTRY, for arguments are everyone's to read."
)


def say_away(why: str) -> None:
    """Tell a person that a registry is away."""
    click.echo(f"{why}; its ids are taken from disk", err=True)


def log_away(why: str) -> None:
    """Log that a registry is away."""
    from streams.serving.logs import log_json  # noqa: PLC0415  the process logs so from here on

    log_json()
    _log.warning("registry away, ids taken from disk", extra={"why": why})


def _option(away: Callable[[str], None]) -> Callable[[Callable[..., R]], Callable[..., R]]:
    """Return what gives a command ``--registry``: it learns the ids before anything else is done.

    The command has ``topic_prefix``. Where only a subcommand is meant, no registry is asked.
    """

    def decorate(function: Callable[..., R]) -> Callable[..., R]:
        @functools.wraps(function)
        def called(
            *arguments: Any,  # noqa: ANN401  as click calls it
            registry: str | None,
            topic_prefix: str,
            **others: Any,  # noqa: ANN401  as click calls it
        ) -> R:
            if click.get_current_context().invoked_subcommand is None:
                use_registry(registry, topic_prefix, away)
            return function(*arguments, topic_prefix=topic_prefix, **others)

        return click.option("--registry", metavar="URL", help=REGISTRY_HELP)(called)

    return decorate


registry_option = _option(say_away)
"""Of a person's command."""

process_registry_option = _option(log_away)
"""Of a process that logs."""


@contextmanager
def opened(url: str) -> Iterator["Registry"]:
    """Give the registry at an address, and tell in words what it will not do.

    Raises:
        click.ClickException: the address is none, or the registry does not do what it is asked.
    """
    # httpx takes 0.1 s to import, which a floor without a registry need not wait for.
    from schemas.registry import Registry, RegistryFault  # noqa: PLC0415  see above

    logging.getLogger("httpx").setLevel(logging.WARNING)
    try:
        with Registry(url) as registry:
            yield registry
    except RegistryFault as fault:
        raise click.ClickException(str(fault)) from fault


def use_registry(url: str | None, prefix: str, away: Callable[[str], None] = say_away) -> None:
    """Learn a registry's ids; without an address nothing is learnt.

    Args:
        url: the registry's address.
        prefix: before the names of the topics.
        away: told why the registry was not asked, where ids are taken from disk.

    Raises:
        click.ClickException: there are no ids, neither the registry's nor on disk.
    """
    if not url:
        return
    from schemas.registry_ids import known_ids  # noqa: PLC0415  brings httpx

    with opened(url) as registry:
        folder = cache_folder() / FOLDER
        try:
            known = known_ids(registry, prefix, folder)
        except OSError as error:
            raise click.ClickException(
                f"{folder}: expected a folder to keep a registry's ids in, found: {error}; "
                "PITWATCH_CACHE names another"
            ) from error
        if known.away is not None:
            away(known.away)
        CODEC.learn(known.ids, confluent=True)
