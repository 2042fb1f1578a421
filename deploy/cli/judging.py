"""Judging a recording: each table by itself, effects in the order of the lines that caused them."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter

from streams.core.advance import advance_all
from streams.core.book import Book
from streams.core.events import Event
from streams.core.findings import Effect
from streams.core.table import TableState, new_table


@dataclass(slots=True)
class Judge:
    """What judges the tables of one recording; it keeps their states from chunk to chunk."""

    book: Book
    tables: dict[str, TableState] = field(default_factory=dict)

    def judge(self, events: Sequence[Event]) -> list[Effect]:
        """Apply events and return their effects, in the order of the events that caused them.

        The events of a table are advanced at once, which is several times faster than one by one.
        """
        places: dict[str, list[int]] = {}
        for place, event in enumerate(events):
            places.setdefault(event.table, []).append(place)
        placed: list[tuple[int, Effect]] = []
        for table, own in places.items():
            state = self.tables.get(table) or new_table(table)
            step = advance_all(state, [events[place] for place in own], self.book)
            self.tables[table] = step.state
            placed += [
                (own[cause], effect)
                for cause, effect in zip(step.causes, step.effects, strict=True)
            ]
        placed.sort(key=itemgetter(0))
        return [effect for _, effect in placed]
