"""Inputs for a target: its seeds and its corpus with a few edits, or bytes without a pattern."""

from functools import cache
from pathlib import Path
from typing import Final

from hypothesis import strategies as st

from tests.fuzz.targets import TARGETS

CORPORA: Final = Path(__file__).with_name("corpora")
MOST_EDITS: Final = 6
LONGEST_RUN: Final = 40


def corpus(name: str) -> list[Path]:
    """Return the kept inputs of a target: each once broke something, or reaches what is rare."""
    return sorted(path for path in (CORPORA / name).glob("*.bin"))


@cache
def good(name: str) -> tuple[bytes, ...]:
    """Return what inputs of a target are made from."""
    return (*TARGETS[name].seeds(), *(path.read_bytes() for path in corpus(name)))


@st.composite
def inputs(draw: st.DrawFn, name: str) -> bytes:
    """Return an input of a target."""
    if not draw(st.integers(0, 15)):
        return draw(st.binary(max_size=200))
    seeds = good(name)
    data = draw(st.sampled_from(seeds))
    for _ in range(draw(st.integers(0, MOST_EDITS))):
        at = draw(st.integers(0, len(data)))
        run = draw(st.integers(0, LONGEST_RUN))
        match draw(st.integers(0, 6)):
            case 0:
                piece = draw(st.binary(max_size=8))
                data = data[:at] + piece + data[at + len(piece) :]
            case 1:
                data = data[:at] + draw(st.binary(max_size=8)) + data[at:]
            case 2:
                data = data[:at] + data[at + run :]
            case 3:
                word = draw(st.sampled_from(TARGETS[name].words))
                data = data[:at] + word + data[at + draw(st.sampled_from((0, len(word)))) :]
            case 4:
                other = draw(st.sampled_from(seeds))
                start = draw(st.integers(0, len(other)))
                data = data[:at] + other[start : start + run] + data[at:]
            case 5:
                # a text becomes the empty text
                quoted = data.find(b'"', at)
                data = data[: quoted + 1] + data[max(quoted + 1, data.find(b'"', quoted + 1)) :]
            case _:
                data = data[: at + run] + data[at:]
    return data
