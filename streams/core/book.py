"""The rulebook: what a finding is called, what it rests on, how grave it is and what to do.

A book is data that anyone may replace (``parse`` takes the mapping a TOML file holds), so nothing
of it is believed unchecked: every code the product can raise must be there with all its keys, and
a fault names every problem at once, each with its key, what was expected and what was found.

A mapping has three keys: ``name``; ``sections``, the game each section of the text rules; and
``rules``, a table for each code. A clause is text such as ``16.8(b)1;27.8(b)1``: parts separated
by semicolons, of which a finding cites the part whose section is its game's. A rule that rests on
no clause says ``integrity`` or ``telemetry`` instead.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from types import MappingProxyType
from typing import Any, Final

from streams.core.codes import CODES, Code
from streams.core.events import CAPABILITIES, GAMES

CLASSES: Final = ("breach", "irregularity", "integrity", "telemetry")
SEVERITIES: Final = ("critical", "high", "medium", "low")
NO_CLAUSE: Final = ("integrity", "telemetry")
"""Words that stand for the clause where a rule rests on none."""

BOOK_KEYS: Final = ("name", "sections", "rules")
TEXT_KEYS: Final = ("title", "clause", "class", "state", "severity", "dealer", "supervisor")
LIST_KEYS: Final = ("games", "needs", "detail")
LONGEST_TEXT: Final = 400
NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,63}")
_SECTION: Final = re.compile(r"[^(;]+")


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing wrong with a rulebook: where, what was expected there and what was found."""

    key: str
    expected: str
    found: str

    def __str__(self) -> str:
        """Return the problem as one line."""
        return f"{self.key}: expected {self.expected}, found {self.found}"


class BookFault(ValueError):
    """A rulebook cannot be used; ``problems`` lists everything wrong with it."""

    def __init__(self, problems: tuple[Problem, ...]) -> None:
        super().__init__("\n".join(str(problem) for problem in problems))
        self.problems = problems


@dataclass(frozen=True, slots=True)
class Rule:
    """One code's row.

    ``clause`` is the whole clause verbatim and ``clauses`` each game's part of it; ``dealer`` and
    ``supervisor`` say what each is to do; ``detail`` are the keys a finding's detail may have.
    """

    code: str
    title: str
    clause: str
    clauses: Mapping[str, str]
    class_: str
    state: str
    severity: str
    games: tuple[str, ...]
    needs: tuple[str, ...]
    dealer: str
    supervisor: str
    parameters: Mapping[str, int]
    detail: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Book:
    """A validated rulebook; ``sha256`` is of the canonical JSON of the mapping it came from.

    Books are compared by identity, so that what is worked out from one can be kept by it.
    """

    name: str
    sha256: str
    rules: Mapping[str, Rule]

    def clause(self, code: str, game: str | None) -> str:
        """Return the part of a code's clause for a game, the whole clause where it has none."""
        rule = self.rules[code]
        return rule.clauses.get(game, rule.clause) if game else rule.clause

    def parameter(self, code: str, name: str) -> int:
        """Return a parameter of a code, in the unit its name says."""
        return self.rules[code].parameters[name]


def parse(mapping: Mapping[str, Any]) -> Book:
    """Return the book a mapping describes, validated whole.

    Raises:
        BookFault: with every problem found.
    """
    problems: list[Problem] = []
    problems += _keys("", mapping, BOOK_KEYS)
    name = mapping.get("name")
    if not isinstance(name, str) or not NAME.fullmatch(name):
        problems.append(Problem("name", "1 to 64 of a-z 0-9 . _ -", _show(name)))
    sections: dict[str, str] = {}
    for section, game in _table("sections", mapping.get("sections"), problems).items():
        if game in GAMES:
            sections[section] = game
        else:
            problems.append(Problem(f"sections.{section}", _one_of(GAMES), _show(game)))
    rows = _table("rules", mapping.get("rules"), problems)
    for code in rows:
        if code not in CODES:
            problems.append(Problem(f"rules.{code}", "a code that can be raised", "an unknown one"))
    rules: dict[str, Rule] = {}
    for code, shape in CODES.items():
        if code not in rows:
            problems.append(Problem(f"rules.{code}", "a rule for the code", "nothing"))
            continue
        key = f"rules.{code}"
        row = _table(key, rows[code], problems)
        faults = list(_row_problems(key, row, shape, sections)) if row else []
        problems += faults
        if row and not faults:
            rules[code] = _rule(code, row, sections)
    if problems:
        raise BookFault(tuple(problems))
    return Book(str(name), _digest(mapping), MappingProxyType(rules))


def _row_problems(
    key: str, row: Mapping[str, Any], shape: Code, sections: Mapping[str, str]
) -> Iterator[Problem]:
    """Yield what is wrong with one rule's table."""
    yield from _keys(key, row, (*TEXT_KEYS, *LIST_KEYS), optional=("parameters",))
    for name in TEXT_KEYS:
        text = row.get(name)
        if name in row and not (isinstance(text, str) and 0 < len(text) <= LONGEST_TEXT):
            yield Problem(f"{key}.{name}", f"1 to {LONGEST_TEXT} characters", _show(text))
    for name, allowed in (("class", CLASSES), ("severity", SEVERITIES), ("state", (shape.state,))):
        if name in row and row[name] not in allowed:
            yield Problem(f"{key}.{name}", _one_of(allowed), _show(row[name]))
    for name, known in (
        ("games", (*shape.games, "all") if shape.games == GAMES else shape.games),
        ("needs", CAPABILITIES),
        ("detail", shape.detail),
    ):
        if name in row:
            yield from _list_problems(f"{key}.{name}", row[name], known)
    if row.get("games") == []:
        yield Problem(f"{key}.games", _one_of(shape.games), "none")
    if isinstance(row.get("detail"), list):
        for missing in shape.detail:
            if missing not in row["detail"]:
                yield Problem(f"{key}.detail", f"the key {missing}", "a list without it")
    if sections:
        yield from _clause_problems(key, row, sections)
    yield from _parameter_problems(f"{key}.parameters", row.get("parameters", {}), shape)


def _list_problems(key: str, value: object, known: tuple[str, ...]) -> Iterator[Problem]:
    """Yield what is wrong with a list of words."""
    if not isinstance(value, list):
        yield Problem(key, "a list", _show(value))
        return
    for place, word in enumerate(value):
        if word not in known:
            yield Problem(key, _one_of(known), _show(word))
        elif word in value[:place]:
            yield Problem(key, "each word once", _show(word))


def _clause_problems(
    key: str, row: Mapping[str, Any], sections: Mapping[str, str]
) -> Iterator[Problem]:
    """Yield what is wrong with a clause: a section of no game, or a game without a part."""
    clause, games = row.get("clause"), row.get("games")
    if not isinstance(clause, str) or clause in NO_CLAUSE or not isinstance(games, list):
        return
    for part in clause.split(";"):
        if _section(part) not in sections:
            yield Problem(f"{key}.clause", _one_of(tuple(sections)), _show(part))
    covered = _clauses(clause, sections)
    for game in _expand(games):
        if game in GAMES and game not in covered:
            yield Problem(f"{key}.clause", f"a part for {game}", _show(clause))


def _parameter_problems(key: str, value: object, shape: Code) -> Iterator[Problem]:
    """Yield what is wrong with a rule's parameters."""
    if not isinstance(value, Mapping):
        yield Problem(key, "a table", _show(value))
        return
    yield from _keys(key, value, tuple(shape.parameters))
    for name, (least, greatest) in shape.parameters.items():
        number = value.get(name)
        if name not in value:
            continue
        if type(number) is not int or not least <= number <= greatest:
            yield Problem(f"{key}.{name}", f"a whole number {least} to {greatest}", _show(number))


def _rule(code: str, row: Mapping[str, Any], sections: Mapping[str, str]) -> Rule:
    """Return the rule of a table that has no problem."""
    games = _expand(row["games"])
    clause: str = row["clause"]
    clauses = dict.fromkeys(games, clause) if clause in NO_CLAUSE else _clauses(clause, sections)
    return Rule(
        code=code,
        title=row["title"],
        clause=clause,
        clauses=MappingProxyType(clauses),
        class_=row["class"],
        state=row["state"],
        severity=row["severity"],
        games=games,
        needs=tuple(row["needs"]),
        dealer=row["dealer"],
        supervisor=row["supervisor"],
        parameters=MappingProxyType(dict(row.get("parameters", {}))),
        detail=tuple(row["detail"]),
    )


def _clauses(clause: str, sections: Mapping[str, str]) -> dict[str, str]:
    """Return each game's part of a clause, verbatim; parts of one game stay together."""
    parts: dict[str, str] = {}
    for part in clause.split(";"):
        game = sections.get(_section(part))
        if game is not None:
            parts[game] = f"{parts[game]};{part}" if game in parts else part
    return parts


def _section(part: str) -> str:
    """Return the section a part of a clause begins with: ``16.8`` of ``16.8(b)3``."""
    match = _SECTION.match(part)
    return match.group() if match else ""


def _expand(games: list[str]) -> tuple[str, ...]:
    """Return the games of a rule, ``all`` written out."""
    return GAMES if "all" in games else tuple(games)


def _keys(
    key: str, value: Mapping[str, Any], needed: tuple[str, ...], optional: tuple[str, ...] = ()
) -> Iterator[Problem]:
    """Yield a problem for each key that is missing and each that is unknown."""
    prefix = f"{key}." if key else ""
    for name in needed:
        if name not in value:
            yield Problem(f"{prefix}{name}", "a value", "nothing")
    for name in value:
        if name not in needed and name not in optional:
            yield Problem(f"{prefix}{name}", _one_of((*needed, *optional)), "an unknown key")


def _table(key: str, value: object, problems: list[Problem]) -> Mapping[str, Any]:
    """Return a table, or note that it is none and return an empty one."""
    if isinstance(value, Mapping) and value:
        return value
    if value is not None:
        problems.append(Problem(key, "a table with entries", _show(value)))
    return {}


def _digest(mapping: Mapping[str, Any]) -> str:
    """Return the SHA-256 of a mapping's canonical JSON: sorted keys, no spaces, UTF-8."""
    text = json.dumps(mapping, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return sha256(text.encode()).hexdigest()


def _one_of(words: tuple[str, ...]) -> str:
    """Return words as an error names them."""
    return "one of " + ", ".join(words) if words else "nothing"


def _show(value: object) -> str:
    """Return a value as an error shows it, cut to a readable length."""
    text = "nothing" if value is None else repr(value)
    return text if len(text) <= 80 else text[:77] + "..."
