"""The dashboards that are shipped are those of the generator, and keep every rule of the linter."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from deploy.grafana.__main__ import DASHBOARDS, FOLDER
from deploy.grafana.panels import WIDTH, Dashboard, Json
from tests.operations.linter import LINT, panels

RULES_OF_THE_LINTER: Final = 17

GOOD: Final = DASHBOARDS[0].drawn()


def first(dashboard: Json) -> Json:
    """Return the first panel that shows anything."""
    return next(panels(dashboard))


def asks(expr: str) -> Callable[[Json], None]:
    """Return the edit by which the first query becomes another."""

    def edit(dashboard: Json) -> None:
        first(dashboard)["targets"][0]["expr"] = expr

    return edit


def sets(at: Callable[[Json], Any], key: str, value: Any) -> Callable[[Json], None]:
    """Return the edit by which a part of a dashboard gets another value."""

    def edit(dashboard: Json) -> None:
        at(dashboard)[key] = value

    return edit


def variable(name: str) -> Callable[[Json], Json]:
    """Return what finds a variable."""

    def at(dashboard: Json) -> Json:
        found: list[Json] = dashboard["templating"]["list"]
        return next(each for each in found if each["name"] == name)

    return at


def of_loki(expr: str) -> Callable[[Json], None]:
    """Return the edit by which the first query is one of logs."""

    def edit(dashboard: Json) -> None:
        source = {"type": "loki", "uid": "$datasource"}
        first(dashboard)["targets"][0] |= {"datasource": source, "expr": expr}

    return edit


BROKEN: Final[dict[str, list[Callable[[Json], None]]]] = {
    "template-datasource-rule": [
        sets(variable("datasource"), "name", "source"),
        sets(variable("datasource"), "label", "From"),
        sets(variable("datasource"), "query", "loki"),
        lambda dashboard: dashboard["templating"]["list"].pop(0),
    ],
    "template-job-rule": [
        sets(variable("job"), "multi", False),
        sets(variable("job"), "allValue", ".*"),
        sets(variable("job"), "name", "task"),
    ],
    "template-instance-rule": [
        sets(variable("instance"), "label", "Host"),
        sets(variable("instance"), "type", "custom"),
        sets(variable("instance"), "datasource", {"uid": "prometheus"}),
    ],
    "template-label-promql-rule": [
        sets(variable("job"), "query", "label_values(up{, job)"),
        sets(variable("job"), "query", "values(up, job)"),
        sets(variable("job"), "query", "up"),
    ],
    "template-on-time-change-reload-rule": [sets(variable("job"), "refresh", 1)],
    "panel-datasource-rule": [
        sets(first, "datasource", {"type": "prometheus", "uid": "prometheus"}),
        sets(lambda each: first(each)["targets"][0], "datasource", {}),
    ],
    "panel-title-description-rule": [sets(first, "title", ""), sets(first, "description", "")],
    "panel-units-rule": [
        sets(lambda each: first(each)["fieldConfig"]["defaults"], "unit", "hats"),
        sets(lambda each: first(each)["fieldConfig"], "defaults", {}),
        sets(
            lambda each: first(each)["fieldConfig"],
            "overrides",
            [{"properties": [{"id": "unit", "value": "hats"}]}],
        ),
    ],
    "panel-no-targets-rule": [sets(first, "targets", [])],
    "target-logql-rule": [of_loki('{job="x"}')],
    "target-logql-auto-rule": [of_loki('rate({job="x"}[5m])')],
    "target-promql-rule": [asks("sum("), asks("")],
    "target-rate-interval-rule": [asks("rate(x_total[5m])"), asks("1 - sum(irate(x_total[1m]))")],
    "target-job-rule": [
        asks('x{instance=~"$instance"}'),
        asks('x{job="$job",instance=~"$instance"}'),
        asks('x{job=~"$job",instance=~"$instance"} / y{instance=~"$instance"}'),
    ],
    "target-instance-rule": [asks('topk(3, -(x{job=~"$job"}))')],
    "target-counter-agg-rule": [asks("sum(x_total)"), asks("max_over_time(x_total[1h])")],
    "uneditable-dashboard": [
        sets(lambda each: each, "editable", True),
        lambda dashboard: dashboard.pop("editable"),
    ],
}


def test_every_rule_of_the_linter_is_here() -> None:
    assert len(LINT) == RULES_OF_THE_LINTER
    assert set(BROKEN) == set(LINT)


@pytest.mark.parametrize("name", LINT)
@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: path.stem)
def test_a_dashboard_keeps_a_rule(path: Path, name: str) -> None:
    assert list(LINT[name](json.loads(path.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize(
    ("name", "edit"), [(name, edit) for name, edits in BROKEN.items() for edit in edits]
)
def test_a_rule_sees_what_breaks_it(name: str, edit: Callable[[Json], None]) -> None:
    dashboard = copy.deepcopy(GOOD)
    edit(dashboard)
    assert list(LINT[name](dashboard))


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda each: each.name)
def test_what_is_shipped_is_what_is_generated(dashboard: Dashboard) -> None:
    shipped = (FOLDER / f"{dashboard.name}.json").read_text(encoding="utf-8")
    assert shipped == dashboard.text(), "make dashboards writes them anew"


def test_no_dashboard_is_shipped_that_none_generates() -> None:
    assert {path.stem for path in FOLDER.iterdir()} == {each.name for each in DASHBOARDS}


@pytest.mark.parametrize("dashboard", DASHBOARDS, ids=lambda each: each.name)
def test_panels_have_room_and_a_number_each(dashboard: Dashboard) -> None:
    drawn = dashboard.drawn()["panels"]
    assert len({panel["id"] for panel in drawn}) == len(drawn)
    taken: set[tuple[int, int]] = set()
    for panel in drawn:
        at = panel["gridPos"]
        assert at["x"] + at["w"] <= WIDTH
        cells = {
            (at["x"] + across, at["y"] + down)
            for across in range(at["w"])
            for down in range(at["h"])
        }
        assert not taken & cells, f"{panel['title']} lies on another panel"
        taken |= cells


def test_dashboards_are_told_apart() -> None:
    drawn = [dashboard.drawn() for dashboard in DASHBOARDS]
    assert {each["uid"] for each in drawn} == {
        "pitwatch-floor",
        "pitwatch-pipeline",
        "pitwatch-gateway",
        "pitwatch-alarm-quality",
    }
    assert len({each["title"] for each in drawn}) == len(drawn)
