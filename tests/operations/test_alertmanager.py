"""Each alert reaches who is to act on it: by the shipped routes, and by mail and hook in fact."""

import subprocess
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

import pytest

from tests.gateway_harness import until
from tests.operations.receivers import receiving
from tests.operations.rule_files import RULES, Rule, alerts
from tests.operations.test_rules import each_alert
from tests.operations.watchers import ALERTMANAGER, PROMETHEUS, TOKEN, alertmanager
from tests.require import require

RECEIVERS: Final = {
    ("pit", "warning"): "pit",
    ("surveillance", "warning"): "surveillance",
    ("surveillance", "critical"): "surveillance",
    ("sre", "critical"): "sre-now",
    ("sre", "warning"): "sre",
    ("sre", "info"): "sre",
    ("sre", "none"): "dead-mans-switch",
}
"""Who is told, by team and severity."""


def test_the_configurations_are_taken(tmp_path: Path) -> None:
    (tmp_path / "rules").symlink_to(RULES)
    (tmp_path / "prometheus.yml").write_text(PROMETHEUS.read_text(encoding="utf-8"))
    for command in (
        [require("amtool"), "check-config", str(ALERTMANAGER)],
        [require("promtool"), "check", "config", str(tmp_path / "prometheus.yml")],
    ):
        run = subprocess.run(command, capture_output=True, text=True, check=False)
        assert run.returncode == 0, run.stdout + run.stderr


@each_alert
def test_an_alert_reaches_who_is_to_act(rule: Rule) -> None:
    wanted = RECEIVERS[rule.labels["team"], rule.labels["severity"]]
    labels = [f"alertname={rule.alert}", *(f"{key}={value}" for key, value in rule.labels.items())]
    command = [require("amtool"), "config", "routes", "test"]
    command += [f"--config.file={ALERTMANAGER}", f"--verify.receivers={wanted}", *labels]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def test_pit_surveillance_and_sre_are_told_by_mail_and_hook(tmp_path: Path) -> None:
    now = datetime.now(UTC).isoformat()
    told = [
        "PitwatchTableSilent",
        "PitwatchCriticalAlarmUnacknowledged",
        "PitwatchSpoolOld",
        "PitwatchDeadLetters",
    ]
    with receiving() as received, alertmanager(tmp_path, received) as watcher:
        body = [
            {
                "labels": {"alertname": name} | alerts()[name].labels,
                "annotations": alerts()[name].annotations,
                "startsAt": now,
            }
            for name in told
        ]
        watcher.post("/api/v2/alerts", body)
        until(
            "all to be told",
            lambda: (
                received.mailed("pit-managers@casino.example", "PitwatchTableSilent")
                and received.mailed(
                    "surveillance@casino.example", "PitwatchCriticalAlarmUnacknowledged"
                )
                and received.called("/surveillance", "PitwatchCriticalAlarmUnacknowledged")
                and received.mailed("sre@casino.example", "PitwatchSpoolOld")
                and received.called("/sre-now", "PitwatchSpoolOld")
                and received.mailed("sre@casino.example", "PitwatchDeadLetters")
            ),
        )
    assert {authorization for _, authorization, _ in received.hooks} == {f"Bearer {TOKEN}"}
    assert not received.called("/sre-now", "PitwatchDeadLetters")
    (silent,) = [text for to, text in received.mails if "PitwatchTableSilent" in text]
    assert "https://pitwatch.example/runbooks/PitwatchTableSilent.md" in silent.replace("=\r\n", "")


@pytest.mark.parametrize("team", ["pit", "surveillance", "sre"])
def test_each_team_has_something_to_act_on(team: str) -> None:
    assert any(rule.labels["team"] == team for rule in alerts().values())
