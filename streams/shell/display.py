"""Shows the tables: what changed of them is told together, a fifth of a second later at most.

A view takes as long to make and write as two events take to judge, and a table's next view replaces
it: with 2,000 events a second of 100 tables, one view after each fetch took a third of the
worker's time. What waits here is lost with the worker; whoever reads the states back next shows
every table again.
"""

from collections.abc import Callable, Iterable
from typing import Final

from streams.core.projection import view
from streams.core.views import TableView
from streams.shell.ports import OutputRecord, Publisher
from streams.shell.store import TableStore

SHOW_SECONDS: Final = 0.2
"""The last view of a table is written within 250 ms."""


class Display:
    """The tables to be shown, each once.

    Args:
        store: has their states, which are acknowledged.
        publisher: writes the views.
        records: returns the records of a partition's views.
        shown: told what was written of a partition.
    """

    def __init__(
        self,
        store: TableStore,
        publisher: Publisher,
        records: Callable[[int, Iterable[TableView]], Iterable[OutputRecord]],
        shown: Callable[[int, Iterable[TableView]], None],
    ) -> None:
        self._store = store
        self._publisher = publisher
        self._records = records
        self._shown = shown
        self._changed: dict[int, dict[bytes, None]] = {}

    def changed(self, tables: Iterable[tuple[int, bytes]]) -> None:
        """Have tables shown, named by partition and key."""
        for partition, key in tables:
            self._changed.setdefault(partition, {})[key] = None

    def clear(self) -> None:
        """Have nothing shown: the assignment is changing."""
        self._changed.clear()

    async def show(self) -> None:
        """Write the views of what changed, and return once they are acknowledged.

        Raises:
            Exception: one was not acknowledged.
        """
        changed, self._changed = self._changed, {}
        views = {
            partition: [
                view(stored.state)
                for key in keys
                if (stored := self._store.get(partition, key)) is not None
            ]
            for partition, keys in changed.items()
        }
        records = [
            record for partition in views for record in self._records(partition, views[partition])
        ]
        if records:
            await self._publisher.publish(records)
        for partition, shown in views.items():
            self._shown(partition, shown)
