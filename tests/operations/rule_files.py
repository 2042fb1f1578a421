"""The rule files as tests look at them, and what stands beside them."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from tests.architecture.source import ROOT

RULES: Final = ROOT / "helm" / "pitwatch" / "files" / "rules"
RUNBOOKS: Final = ROOT / "deploy" / "runbooks"
TESTS: Final = Path(__file__).parent / "alerts"


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule; ``alert`` is empty for one that only records."""

    group: str
    alert: str
    record: str
    expr: str
    wait: str
    labels: dict[str, str]
    annotations: dict[str, str]


def read(path: Path) -> Any:
    """Return what a YAML file says."""
    return yaml.safe_load(path.read_text(encoding="utf-8"))


@cache
def rules() -> tuple[Rule, ...]:
    """Return every rule of every file, in order."""
    return tuple(_rules())


def alerts() -> dict[str, Rule]:
    """Return the rules that alert, by name."""
    return {rule.alert: rule for rule in rules() if rule.alert}


def recorded() -> set[str]:
    """Return the names of what rules record."""
    return {rule.record for rule in rules() if rule.record}


def _rules() -> Iterator[Rule]:
    for path in sorted(RULES.glob("*.yaml")):
        for group in read(path)["groups"]:
            for rule in group["rules"]:
                yield Rule(
                    group=group["name"],
                    alert=rule.get("alert", ""),
                    record=rule.get("record", ""),
                    expr=rule["expr"],
                    wait=rule.get("for", ""),
                    labels=rule.get("labels", {}),
                    annotations=rule.get("annotations", {}),
                )
