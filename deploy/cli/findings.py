"""A finding as one line for a person who looks on."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Final

from rich.text import Text

from deploy.cli.terminal import SEVERITY_STYLES
from schemas.records import Finding
from streams.core.book import Rule

WIDTHS: Final = {"table": 8, "round": 6, "severity": 9, "code": 24, "clause": 22}
"""Columns, so that lines stand under one another; what is longer is not cut."""


def finding_line(finding: Finding, rules: Mapping[str, Rule]) -> Text:
    """Return a finding as one line: when, where, how grave, what, on which clause.

    Args:
        finding: as it stands on its topic.
        rules: the rulebook's rows by code, for the title; a code it lacks has none.

    Returns:
        The line; its time is the device's, in this machine's zone.
    """
    moment = datetime.fromtimestamp(finding.at / 1_000_000, UTC).astimezone()
    rule = rules.get(finding.code)
    columns = {
        "table": finding.table,
        "round": str(finding.round),
        "severity": "cleared" if finding.state == "cleared" else finding.severity,
        "code": finding.code,
        "clause": finding.clause,
    }
    text = Text(f"{moment:%H:%M:%S}  ", no_wrap=True)
    for name, width in WIDTHS.items():
        style = SEVERITY_STYLES.get(columns[name], "green") if name == "severity" else ""
        text.append(columns[name].ljust(width), style)
        text.append(" ")
    return text.append(rule.title if rule else "")
