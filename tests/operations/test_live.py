"""Rules and dashboards on a running floor: each name is exported, each query is answered.

One floor of simulated tables that plant every fault, the real Prometheus and Alertmanager with the
configuration that is shipped, a second between two scrapes.
"""

import re
import subprocess
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import httpx
import pytest
from prometheus_client.parser import text_string_to_metric_families

from deploy.grafana.__main__ import DASHBOARDS
from tests.floor_process import UP, FloorProcess
from tests.gateway_harness import until
from tests.operations.linter import targets
from tests.operations.promql import Selector, selectors
from tests.operations.receivers import LOOPBACK, Received, receiving
from tests.operations.rule_files import RUNBOOKS, recorded, rules
from tests.operations.watchers import Watcher, alertmanager, prometheus
from tests.require import require

pytestmark = [pytest.mark.kafka, pytest.mark.slow]

FLOOR: Final = (*UP, "--partitions", "4", "--tables", "6", "--speed", "60")
OF_PROMETHEUS: Final = {"up"}
"""What Prometheus itself says of what it scrapes."""

CHOSEN_BY_GRAFANA: Final = {"job", "instance"}
GIVEN_BY_SCRAPE: Final = {"job", "instance", "namespace"}

PROCESSES: Final = ("worker", "gateway", "console", "historian")
MOST_WITH_A_TABLE: Final = 5

Exported = dict[str, list[dict[str, str]]]
"""The labels of each series that a process tells, by its name."""


@dataclass(frozen=True, slots=True)
class Scene:
    """A floor that is watched: its processes' ports, what they tell, and who watches."""

    ports: Mapping[str, int]
    prometheus: Watcher
    received: Received

    def scrape(self, process: str) -> str:
        """Return what a process tells."""
        url = f"http://{LOOPBACK}:{self.ports[process]}/metrics"
        return httpx.get(url, timeout=10, trust_env=False).raise_for_status().text


@pytest.fixture(scope="module")
def scene(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    folder = tmp_path_factory.mktemp("watched")
    floor = FloorProcess(FLOOR)
    try:
        ports = {
            "worker": floor.worker,
            "gateway": floor.gateway,
            "console": int(floor.console[0].rpartition(":")[2]),
            "historian": floor.historian,
        }
        with (
            receiving() as received,
            alertmanager(folder, received) as told,
            prometheus(folder, ports, told.port) as watcher,
        ):
            scene = Scene(ports, watcher, received)
            until("scrapes of all", lambda: scraped_often(watcher), 90)
            yield scene
    finally:
        floor.close()


@pytest.fixture(scope="module")
def exported(scene: Scene) -> Exported:
    found: Exported = {}
    for process in PROCESSES:
        for family in text_string_to_metric_families(scene.scrape(process)):
            # of what was never logged there is no series yet, and the family is told
            total = "_total" if family.type == "counter" else ""
            found.setdefault(f"{family.name}{total}", [])
            for sample in family.samples:
                found.setdefault(sample.name, []).append(dict(sample.labels))
    return found


def scraped_often(watcher: Watcher) -> bool:
    """Return whether each process was scraped thrice, and tables have dealt."""
    if not watcher.query("sum(pitwatch_rounds_since_stub_count) > 0"):
        return False
    return len(watcher.query("count_over_time(pitwatch_build_info[1m]) > 2")) == len(PROCESSES)


def values_by_table(watcher: Watcher, name: str) -> dict[str, str]:
    """Return the value of a metric now, by table."""
    return {each["metric"]["table"]: each["value"][1] for each in watcher.query(name)}


def missing(selector: Selector, exported: Exported) -> str:
    """Return what no process tells of what a selector asks for, or nothing."""
    if selector.name in OF_PROMETHEUS | recorded():
        return ""
    if selector.name not in exported:
        return selector.name
    for matcher in selector.matchers if exported[selector.name] else ():
        if matcher.label not in GIVEN_BY_SCRAPE and not any(
            matcher.takes(labels.get(matcher.label, "")) and matcher.label in labels
            for labels in exported[selector.name]
        ):
            return f"{selector.name} with {matcher}"
    return ""


def test_what_rules_name_is_exported(exported: Exported) -> None:
    asked = [selector for rule in rules() for selector in selectors(rule.expr)]
    assert [what for selector in asked if (what := missing(selector, exported))] == []


def test_what_dashboards_name_is_exported(exported: Exported) -> None:
    queries = [t["expr"] for d in DASHBOARDS for _, t in targets(d.drawn())]
    queries += [dashboard.known_by for dashboard in DASHBOARDS]
    asked = [selector for query in queries for selector in selectors(query)]
    assert [what for selector in asked if (what := missing(selector, exported))] == []


def test_what_runbooks_name_is_exported_or_recorded(exported: Exported) -> None:
    known = set(exported) | recorded()
    for path in RUNBOOKS.glob("*.md"):
        for name in re.findall(r"(?:\w+:)?pitwatch_[a-z0-9_:]+", path.read_text(encoding="utf-8")):
            assert name in known, f"{path.name} names {name}"


@pytest.mark.parametrize("process", PROCESSES)
def test_promtool_finds_nothing_wrong_with_what_a_process_tells(scene: Scene, process: str) -> None:
    run = subprocess.run(
        [require("promtool"), "check", "metrics"],
        input=scene.scrape(process),
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout + run.stderr
    assert not run.stdout + run.stderr


def test_at_most_five_families_have_a_series_for_each_table(exported: Exported) -> None:
    with_a_table = {
        name for name, each in exported.items() if any("table" in labels for labels in each)
    }
    assert len(with_a_table) <= MOST_WITH_A_TABLE, with_a_table


def test_prometheus_evaluates_every_rule(scene: Scene) -> None:
    def evaluated() -> list[dict[str, Any]]:
        groups = scene.prometheus.get("/api/v1/rules")["data"]["groups"]
        found = [rule for group in groups for rule in group["rules"]]
        return found if all(rule["health"] != "unknown" for rule in found) else []

    found = until("all rules to be evaluated", evaluated)
    assert len(found) == len(rules())
    assert [rule for rule in found if rule["health"] != "ok"] == []


def test_prometheus_sees_what_the_floor_does(scene: Scene) -> None:
    # A scrape has a second here, which a busy machine may not give each time.
    by_table = partial(values_by_table, scene.prometheus)
    until("all to be up", lambda: len(scene.prometheus.query("up == 1")) == len(PROCESSES))
    until(
        "tables with a stub",
        lambda: {"CS-01", "FC-01"} <= by_table("pitwatch_rounds_since_stub_count").keys(),
    )
    allowed = until("silences", partial(by_table, "pitwatch_table_silence_allowed_seconds"))
    assert allowed["CS-01"] == "60"
    for moves in ("pitwatch_findings_total", "pitwatch_gateway_accepted_total"):
        query = f"sum(rate({moves}[30s])) > 0"
        until(query, partial(scene.prometheus.query, query))


def test_everything_recorded_has_a_value(scene: Scene) -> None:
    for name in sorted(recorded()):
        until(f"a value of {name}", partial(scene.prometheus.query, name))


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda each: each.name)
def test_every_panel_shows_something_of_a_running_floor(scene: Scene, dashboard: Any) -> None:
    for title, target in targets(dashboard.drawn()):
        expr = target["expr"].replace("$__rate_interval", "30s")
        for label in CHOSEN_BY_GRAFANA:
            expr = expr.replace(f'"${label}"', '".+"')
        until(f"{title}: {expr}", partial(scene.prometheus.query, expr))


def test_the_dead_mans_switch_gets_through(scene: Scene) -> None:
    until(
        "the dead man's switch",
        lambda: scene.received.called("/dead-mans-switch", "PitwatchDeadMansSwitch"),
    )


def test_nothing_is_pending_of_what_a_well_floor_never_has(scene: Scene) -> None:
    wrong = "TableSilent|SpoolOld|SpoolDamaged|HistoryMissed|GatewayNotAuthorised|CommandForged"
    standing = f'ALERTS{{alertname=~"Pitwatch({wrong})"}}'
    assert scene.prometheus.query(standing) == []
