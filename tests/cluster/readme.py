"""The commands of the chart's README, as a person reads them: by heading.

A block of ``sh`` holds commands, one of ``yaml`` under the first of these headings the values that
a site writes into ``values.yaml``. What a heading's blocks hold is run in one shell.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
README: Final = ROOT / "helm" / "pitwatch" / "README.md"

HEADING: Final = re.compile(r"^#{2,4} (.+)$", re.MULTILINE)
BLOCK: Final = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Readme:
    """What a README tells its reader to type.

    Attributes:
        commands: by heading, all its shell commands.
        values: by heading, its YAML.
    """

    commands: dict[str, str]
    values: dict[str, str]


def read(text: str) -> Readme:
    """Return the commands of a README."""
    parts = HEADING.split(text)
    commands: dict[str, str] = {}
    values: dict[str, str] = {}
    for heading, body in zip(parts[1::2], parts[2::2], strict=True):
        for language, block in BLOCK.findall(body):
            kept = commands if language == "sh" else values if language == "yaml" else {}
            kept[heading] = kept.get(heading, "") + block
    return Readme(commands, values)
