"""Each alert says what an operator needs, has its runbook, and was seen to fire and not to fire."""

import re
import subprocess
from collections import defaultdict
from pathlib import Path
from typing import Final

import pytest

from tests.operations.promql import selectors
from tests.operations.rule_files import RULES, RUNBOOKS, TESTS, Rule, alerts, read, recorded, rules
from tests.require import require

SEVERITIES: Final = {"critical", "warning", "info", "none"}
TEAMS: Final = {"pit", "surveillance", "sre"}
BASE: Final = "https://pitwatch.example/runbooks"
"""Where the files say that runbooks are; the chart puts the house's own in its place."""

SECTIONS: Final = ["Meaning", "Impact", "Check", "Act"]
WATCHED: Final = {
    "judging late": "PitwatchJudgingLate",
    "a table silent while open": "PitwatchTableSilent",
    "a worker that does not progress": "PitwatchWorkerNotProgressing",
    "recovery too long": "PitwatchRecoveryTooLong",
    "lag growing": "PitwatchPartitionLagGrowing",
    "dead letters": "PitwatchDeadLetters",
    "a spool growing": "PitwatchSpoolGrowing",
    "a spool old": "PitwatchSpoolOld",
    "a gateway that refuses lines": "PitwatchGatewayRefusesLines",
    "a gateway that refuses requests": "PitwatchGatewayRefusesRequests",
    "a stub count overdue for long": "PitwatchStubCountOverdue",
    "a critical alarm unacknowledged": "PitwatchCriticalAlarmUnacknowledged",
    "the historian behind": "PitwatchHistorianBehind",
    "metrics absent": "PitwatchMetricsAbsent",
    "a dead man's switch": "PitwatchDeadMansSwitch",
}


def by_name(rule: Rule) -> str:
    return rule.alert


each_alert = pytest.mark.parametrize("rule", alerts().values(), ids=by_name)


@pytest.mark.parametrize("what", WATCHED)
def test_what_keeps_a_floor_from_being_watched_has_an_alert(what: str) -> None:
    assert WATCHED[what] in alerts()


@each_alert
def test_alert_says_whom_it_is_for_and_what_it_means(rule: Rule) -> None:
    assert re.fullmatch(r"Pitwatch([A-Z][a-z]+)+", rule.alert)
    assert rule.labels["severity"] in SEVERITIES
    assert rule.labels["team"] in TEAMS
    assert set(rule.labels) == {"severity", "team"}
    assert re.fullmatch(r"\d+[smh]", rule.wait)
    assert set(rule.annotations) == {"summary", "description", "runbook_url"}
    # the summary groups alerts, so it is the same for all of them; the description is each one's
    assert re.fullmatch(r"[A-Z][^{}]+\.", rule.annotations["summary"])
    assert rule.annotations["description"].endswith(".")
    assert rule.annotations["runbook_url"] == f"{BASE}/{rule.alert}.md"


@each_alert
def test_alert_has_a_runbook(rule: Rule) -> None:
    text = (RUNBOOKS / f"{rule.alert}.md").read_text(encoding="utf-8")
    assert text.startswith(f"# {rule.alert}\n")
    assert re.findall(r"^## (.+)$", text, re.MULTILINE) == SECTIONS
    assert all(re.split(r"^## .+$", text, flags=re.MULTILINE)[1:])


def test_all_alerts_are_listed_with_whom_they_are_for() -> None:
    text = (RUNBOOKS / "README.md").read_text(encoding="utf-8")
    listed = re.findall(r"^\| \[(\w+)\]\((\S+)\) \| (\w+) \| (\w+) \| (.+) \|$", text, re.MULTILINE)
    assert listed == [
        (
            rule.alert,
            f"{rule.alert}.md",
            rule.labels["severity"],
            rule.labels["team"],
            rule.annotations["summary"],
        )
        for rule in alerts().values()
    ]


def test_no_runbook_is_left_of_an_alert_that_there_is_none_of() -> None:
    assert {path.stem for path in RUNBOOKS.glob("Pitwatch*.md")} == set(alerts())


@pytest.mark.parametrize("path", sorted(RUNBOOKS.glob("Pitwatch*.md")), ids=lambda path: path.stem)
def test_what_a_runbook_names_is_there(path: Path) -> None:
    named = set(re.findall(r"`(Pitwatch\w+)`", path.read_text(encoding="utf-8")))
    assert named <= set(alerts())


def test_names_of_rules_are_each_there_once() -> None:
    names = [rule.alert or rule.record for rule in rules()]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", sorted(recorded()))
def test_what_is_recorded_says_its_level_metric_and_operations(name: str) -> None:
    assert re.fullmatch(r"[a-z_]+:pitwatch_[a-z0-9_]+:[a-z0-9_]+", name)


@pytest.mark.parametrize("name", sorted(recorded()))
def test_what_is_recorded_is_asked_for_or_helps_a_person(name: str) -> None:
    asked = {selector.name for rule in rules() for selector in selectors(rule.expr)}
    text = "".join(path.read_text(encoding="utf-8") for path in RUNBOOKS.glob("*.md"))
    assert name in asked or name in text


def test_each_alert_is_seen_to_fire_and_not_to_fire() -> None:
    seen: dict[str, set[bool]] = defaultdict(set)
    for path in TESTS.glob("*.yaml"):
        for each in read(path)["tests"]:
            for case in each.get("alert_rule_test", ()):
                seen[case["alertname"]].add(bool(case["exp_alerts"]))
    assert dict(seen) == {name: {True, False} for name in alerts()}


def test_every_rule_holds_what_its_tests_say() -> None:
    promtool = require("promtool")
    files = sorted(str(path) for path in TESTS.glob("*.yaml"))
    run = subprocess.run(
        [promtool, "test", "rules", *files], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def test_promtool_takes_the_files() -> None:
    promtool = require("promtool")
    files = sorted(str(path) for path in RULES.glob("*.yaml"))
    run = subprocess.run(
        [promtool, "check", "rules", "--lint=all", "--lint-fatal", *files],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
