"""Whether what a process takes stays flat: the first third of a run beside the last.

The middle third is the restarts', so the last third is one undisturbed life of each process. It is
looked at by itself as well: a leak that a restart hides shows in it.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

MEBIBYTE: Final = 1024 * 1024

GROWTH: Final = 1.10
"""The part by which a median may grow from the first third to the last: what an allocator keeps."""

SLACK: Final = 24 * MEBIBYTE
"""Bytes on top, whatever the size: a worker takes over its neighbour's tables at each restart."""

DESCRIPTORS: Final = 8
"""Open descriptors more than before: connections to a broker come and go."""


@dataclass(frozen=True, slots=True)
class Sample:
    """What one process took at a moment: seconds of the run, resident bytes, open descriptors."""

    at: float
    resident: int
    descriptors: int


@dataclass(frozen=True, slots=True)
class Flatness:
    """One process's medians, of the run's first third and its last, and the bounds they had."""

    process: str
    over: str
    samples: int
    resident: tuple[float, float]
    descriptors: tuple[float, float]

    @property
    def problems(self) -> list[str]:
        """Return what grew, each with its bound."""
        if self.samples == 0:
            return [f"{self.process} {self.over}: expected samples in both thirds, found none"]
        found = []
        before, after = self.resident
        if after > (most := before * GROWTH + SLACK):
            found.append(
                f"{self.process} {self.over}: expected at most {most / MEBIBYTE:.0f} MiB, "
                f"found {after / MEBIBYTE:.0f}"
            )
        opened, still = self.descriptors
        if still > opened + DESCRIPTORS:
            found.append(
                f"{self.process} {self.over}: expected at most {opened + DESCRIPTORS:.0f} "
                f"descriptors, found {still:.0f}"
            )
        return found

    def as_json(self) -> dict[str, Any]:
        """Return it as ``build/soak.json`` has it."""
        return {
            "process": self.process,
            "over": self.over,
            "samples": self.samples,
            "resident_mebibytes": [round(each / MEBIBYTE, 1) for each in self.resident],
            "resident_at_most": round((self.resident[0] * GROWTH + SLACK) / MEBIBYTE, 1),
            "descriptors": list(self.descriptors),
            "descriptors_at_most": self.descriptors[0] + DESCRIPTORS,
            "holds": not self.problems,
        }


def flatness(process: str, samples: Sequence[Sample], seconds: float) -> list[Flatness]:
    """Compare a run's first third with its last, and the last's own thirds."""
    last = seconds * 2 / 3
    return [
        compared(process, "over the run", samples, 0, seconds),
        compared(process, "after the last restart", samples, last, seconds),
    ]


def compared(
    process: str, over: str, samples: Sequence[Sample], start: float, end: float
) -> Flatness:
    """Return the medians of the first and of the last third of a time."""
    third = (end - start) / 3
    first = [each for each in samples if start <= each.at < start + third]
    last = [each for each in samples if end - third <= each.at < end]
    if not first or not last:
        return Flatness(process, over, 0, (0, 0), (0, 0))
    return Flatness(
        process,
        over,
        len(first) + len(last),
        (median(each.resident for each in first), median(each.resident for each in last)),
        (median(each.descriptors for each in first), median(each.descriptors for each in last)),
    )
