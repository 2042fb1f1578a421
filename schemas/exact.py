"""A JSON line read key by key: exact, and able to say what is wrong with it.

It is taken for a line that the fast reading of ``schemas.ndjson`` refused or doubts, and decides.
"""

import json
from difflib import get_close_matches
from typing import Final, NoReturn

import msgspec

from schemas.check import NOTHING, first_fault, rules_of
from schemas.faults import SHOWN, LineFault, found_text, shown_name
from schemas.fields import CLOCK_SOURCE
from schemas.lines import DEVICE_KINDS, LINES
from schemas.records import DealEvent
from schemas.times import parse_time

MAX_LINE: Final = 16 * 1024
"""The longest line in bytes, its end of line not counted."""

LINE: Final = "line"
"""What a fault names as its field where the whole line is at fault."""


class _Doubled(dict[str, object]):
    """An object in which a key stands more than once, and the first such key."""

    key: str = ""


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    values = dict(pairs)
    if len(values) == len(pairs):
        return values
    doubled = _Doubled(values)
    keys = [key for key, _ in pairs]
    doubled.key = next(key for place, key in enumerate(keys) if key in keys[:place])
    return doubled


def _no_constant(name: str) -> NoReturn:
    """Refuse NaN and the infinities, which Python's reader knows and JSON does not."""
    raise json.JSONDecodeError("a word that JSON does not have", name, 0)


def _integer(text: str) -> int:
    """Return an integer; of one too long for any range, enough digits to be out of all."""
    return int(text[: SHOWN + 2])


_READER: Final = json.JSONDecoder(
    object_pairs_hook=_object, parse_constant=_no_constant, parse_int=_integer
)


def _parsed(raw: bytes) -> dict[str, object] | LineFault:
    """Return the object that a line holds."""
    if len(raw) > MAX_LINE:
        return LineFault(LINE, f"at most {MAX_LINE} bytes", "a longer line")
    try:
        values = _READER.decode(raw.decode())
    except UnicodeDecodeError as error:
        return LineFault(LINE, "UTF-8", f"byte 0x{raw[error.start]:02x} at byte {error.start + 1}")
    except json.JSONDecodeError as error:
        return LineFault(LINE, "a JSON object", f"{error.msg} at character {error.pos + 1}")
    except RecursionError:
        return LineFault(LINE, "a JSON object", "brackets nested too deeply")
    if isinstance(values, _Doubled):
        return LineFault(shown_name(values.key), "each field once", "the field twice")
    if not isinstance(values, dict):
        return LineFault(LINE, "a JSON object", found_text(LINE, values))
    return values


def _kind_fault(values: dict[str, object]) -> LineFault | None:
    """Return what is wrong with the kind of a line, if anything."""
    if "kind" not in values:
        return LineFault("kind", "a kind of event", NOTHING)
    kind = values["kind"]
    if isinstance(kind, str) and kind in DEVICE_KINDS:
        return None
    near = get_close_matches(str(kind)[:SHOWN], DEVICE_KINDS, n=1)
    like = f", such as {near[0]}" if near else ""
    return LineFault(
        "kind", f"a kind of event that a device may send{like}", found_text("kind", kind)
    )


def read_exactly(raw: bytes) -> DealEvent | LineFault:
    """Return the event of a line, or the first thing that is wrong with it. Never raises."""
    values = _parsed(raw)
    if isinstance(values, LineFault):
        return values
    if (fault := _kind_fault(values)) is not None:
        return fault
    kind = str(values.pop("kind"))
    if (fault := first_fault(rules_of(LINES[kind]), values, kind)) is not None:
        return fault
    text = str(values.pop("at"))
    at = parse_time(text)
    if at is None:
        return LineFault("at", rules_of(LINES[kind])["at"].expected, found_text("at", text))
    if values["source"] == CLOCK_SOURCE:
        return LineFault("source", "a device's own source", found_text("source", CLOCK_SOURCE))
    event = {name: values.pop(name) for name in ("table", "source", "boot", "seq")}
    return msgspec.convert({**event, "at": at, "body": {"kind": kind, **values}}, DealEvent)
