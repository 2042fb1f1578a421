"""Where things stand in a TOML file, for problems that name the line.

TOML's reader keeps no line numbers, so they are found again from headers and keys; where a file
writes a table in braces, the line around it is told.
"""

import re
from typing import Final

PathInFile = tuple[str | int, ...]
"""A place in a file: keys, and positions in lists from 0."""

_HEADER: Final = re.compile(r"\s*\[\[?\s*([A-Za-z0-9_.\s-]+?)\s*\]\]?\s*(#.*)?$")
_KEY: Final = re.compile(r"\s*([A-Za-z0-9_-]+)\s*=")


class Lines:
    """Where the headers and keys of a file stand.

    Args:
        text: the file.
    """

    def __init__(self, text: str) -> None:
        self._lines: dict[PathInFile, int] = {}
        prefix: PathInFile = ()
        for number, line in enumerate(text.splitlines(), start=1):
            if header := _HEADER.match(line):
                prefix = self._opened(header[1], listed=line.lstrip().startswith("[["))
                self._lines.setdefault(prefix, number)
            elif key := _KEY.match(line):
                self._lines.setdefault((*prefix, key[1]), number)

    def _opened(self, header: str, *, listed: bool) -> PathInFile:
        """Return the path of a header; one in double brackets is the next of its list."""
        names = [name.strip() for name in header.split(".")]
        path: PathInFile = ()
        for name in names[:-1]:
            path = (*path, name)
            count = self._count(path)
            path = (*path, count - 1) if count else path
        path = (*path, names[-1])
        return (*path, self._count(path)) if listed else path

    def _count(self, path: PathInFile) -> int:
        """Return how many entries of a list were opened so far."""
        count = 0
        while (*path, count) in self._lines:
            count += 1
        return count

    def of(self, path: PathInFile) -> int | None:
        """Return the line of a place, or of the nearest thing around it that has one."""
        while path:
            for place in (path, (*path, 0)):
                if place in self._lines:
                    return self._lines[place]
            path = path[:-1]
        return None
