"""What a history page's query asks for, read and checked; times are in the floor's zone.

Pure functions of a query and a time. What cannot be read is said in words and left out of the
search, so that a page always has an answer.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, tzinfo
from typing import Final, Literal, TypeVar
from urllib.parse import urlencode

from schemas.times import MICROS_IN_DAY
from streams.core.book import SEVERITIES
from streams.core.codes import CODES
from streams.core.events import GAMES
from streams.database.search import Cursor, Search

USUAL_SPAN: Final = MICROS_IN_DAY
"""What is looked through where nothing is said: a day."""
LONGEST_SPAN: Final = 400 * MICROS_IN_DAY
"""A year and a month; more would be asked of the database than one page needs."""

LONGEST_TEXT: Final = 64

W = TypeVar("W", bound=str)

Show = Literal["findings", "rounds", "figures"]
By = Literal["table", "dealer", "shift"]

SHOWS: Final[tuple[Show, ...]] = ("findings", "rounds", "figures")
BYS: Final[tuple[By, ...]] = ("table", "dealer", "shift")

_TIME: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]{2}:[0-9]{2}")


@dataclass(frozen=True, slots=True)
class Asked:
    """What a page is asked for.

    ``search`` is what the database is asked; ``words`` are the form's own texts, shown again;
    ``faults`` says what of them could not be read. ``opened_by`` is the round in full, if one is.
    """

    search: Search
    words: Mapping[str, str]
    show: Show
    by: By
    after: Cursor | None
    opened_by: str | None
    number: int | None
    faults: tuple[str, ...] = ()

    def address(self, **changes: str | None) -> str:
        """Return this page's address with other values; one that is nothing is left out.

        A page of results begins anew, unless the change says where.
        """
        kept = {**self.words, "show": self.show, "by": self.by, "opened_by": self.opened_by}
        wanted = {**kept, **changes}
        return f"/history?{urlencode({key: value for key, value in wanted.items() if value})}"


def asked(query: Mapping[str, str], now: int, zone: tzinfo) -> Asked:
    """Return what a query asks for.

    Args:
        query: The address's.
        now: The time it is, microseconds.
        zone: The floor's zone.
    """
    faults: list[str] = []
    texts = {
        key: query.get(key, "").strip()[:LONGEST_TEXT]
        for key in ("table", "game", "q", "dealer", "severity")
    }
    for key, known in (("game", GAMES), ("severity", SEVERITIES)):
        if texts[key] not in known:
            texts[key] = ""
    since, until = _time(query, "from", zone, faults), _time(query, "to", zone, faults)
    end = now + 1 if until is None else until
    begin = end - USUAL_SPAN if since is None else since
    if begin >= end:
        faults.append("From must be before To; the day before To is shown.")
        begin = end - USUAL_SPAN
    if end - begin > LONGEST_SPAN:
        faults.append("The last 400 days of that time are shown.")
        begin = end - LONGEST_SPAN
    words = {
        **texts,
        "from": query.get("from", "") if since is not None else "",
        "to": query.get("to", "") if until is not None else "",
    }
    code = texts["q"] if texts["q"] in CODES else None
    search = Search(
        since=begin,
        until=end,
        table=texts["table"] or None,
        dealer=texts["dealer"] or None,
        code=code,
        clause=(texts["q"] or None) if code is None else None,
        severity=texts["severity"] or None,
        game=texts["game"] or None,
    )
    number = query.get("number", "")
    return Asked(
        search=search,
        words={key: value for key, value in words.items() if value},
        show=_one_of(query.get("show"), SHOWS, "findings"),
        by=_one_of(query.get("by"), BYS, "table"),
        after=Cursor.parsed(query.get("after", "")),
        opened_by=query.get("opened_by", "")[:300] or None,
        number=int(number) if number.isascii() and number.isdigit() and len(number) < 12 else None,
        faults=tuple(faults),
    )


def _one_of(word: str | None, words: tuple[W, ...], otherwise: W) -> W:
    return next((each for each in words if each == word), otherwise)


def _time(query: Mapping[str, str], key: str, zone: tzinfo, faults: list[str]) -> int | None:
    text = query.get(key, "").strip()
    if not text:
        return None
    if _TIME.fullmatch(text[:16]):
        try:
            moment = datetime.fromisoformat(text[:16].replace(" ", "T")).replace(tzinfo=zone)
        except ValueError:
            pass
        else:
            return int(moment.timestamp()) * 1_000_000
    faults.append(f"{key.capitalize()}: expected a time such as 2026-11-30T14:32.")
    return None


def local(micros: int, zone: tzinfo) -> str:
    """Return a time as a form's field has it."""
    return datetime.fromtimestamp(micros // 1_000_000, zone).strftime("%Y-%m-%dT%H:%M")
