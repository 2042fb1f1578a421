"""What every page gets: the live floor, the database, who may do what, and how a page is made."""

import time
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine
from starlette.requests import Request
from starlette.responses import Response

from schemas.keys import NamedKey
from schemas.watched import Watched
from streams.console.access.access import Access
from streams.console.inventory import Inventory
from streams.console.live.commands import CommandWriter
from streams.console.live.floor import LiveFloor
from streams.console.live.hub import Hub
from streams.console.rendering import Renderer
from streams.console.settings import ConsoleSettings
from streams.core.book import Book


@dataclass(frozen=True, slots=True)
class Console:
    """The parts of one console.

    Attributes:
        settings: what it was told.
        inventory: the floor as it is planned; ``hub.inventory`` has the tables that were seen too.
        floor: the floor as the topics tell it.
        hub: tells every browser what changed.
        access: accounts and sessions: who asks and what they may do.
        engine: the database with accounts and history.
        book: the rulebook.
        commands: writes operators' commands; nothing where there is no key to sign them with.
        command_keys: the file of those keys, where there is one.
        renderer: makes pages and fragments from the templates.
    """

    settings: ConsoleSettings
    inventory: Inventory
    floor: LiveFloor
    hub: Hub
    access: Access
    engine: Engine
    book: Book
    commands: CommandWriter | None
    command_keys: Watched[tuple[NamedKey, ...]] | None
    renderer: Renderer

    def now(self) -> int:
        """Return the console's time in microseconds since 1970-01-01 UTC."""
        return time.time_ns() // 1000

    def render(self, request: Request, template: str, **context: Any) -> Response:  # noqa: ANN401  a template takes anything
        """Return a page made from a template.

        Args:
            request: who asks for it, and from where.
            template: the template's name.
            context: what the template says, beside what every page has (``base.html``).
        """
        return self.renderer.page(request, template, **context)
