"""What a worker's log says of a finding."""

import logging
from typing import Final

from streams.core.findings import Finding

log = logging.getLogger(__name__)

RAISED: Final = "raised"
LEVELS: Final = {
    "critical": logging.CRITICAL,
    "high": logging.ERROR,
    "medium": logging.WARNING,
    "low": logging.INFO,
}
"""At which level a finding of each severity is logged."""


def log_finding(finding: Finding) -> None:
    """Write a finding to the log as one line; it never says what card lies face down."""
    level = LEVELS[finding.severity] if finding.state == RAISED else logging.INFO
    log.log(
        level,
        "finding",
        extra={
            "finding": finding.id,
            "code": finding.code,
            "clause": finding.clause,
            "class": finding.class_,
            "state": finding.state,
            "severity": finding.severity,
            "table": finding.table,
            "game": finding.game,
            "round": finding.round,
            "position": finding.position,
            "hand": finding.hand,
            "at": finding.at,
            "detail": finding.detail,
        },
    )
