"""The rules of Grafana's dashboard-linter, each as a function of a dashboard's JSON.

They are named as it names them. Where it looks at some kinds of panel alone, these look at all that
show anything, and where it excuses some, these excuse none.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

from deploy.grafana.panels import Json
from tests.operations.promql import RATE_INTERVAL, Selector, parse, selectors

Rule = Callable[[Json], Iterable[str]]
"""Yields what is wrong."""

PROMETHEUS: Final = "prometheus"
LOKI: Final = "loki"
SHOWS_NOTHING: Final = frozenset({"row"})
UNITS: Final = frozenset(
    {"none", "short", "percent", "percentunit", "bytes", "s", "ms", "cps", "ops", "reqps"}
)
"""The units of Grafana that Pitwatch's values have."""

COUNTING: Final = frozenset({"rate", "irate", "increase"})
RATES: Final = frozenset({"rate", "irate"})
ASKS: Final = frozenset({"label_names", "label_values", "metrics", "query_result"})
ON_TIME_RANGE_CHANGE: Final = 2
ANY: Final = ".+"


def variables(dashboard: Json, kind: str | None = None) -> list[Json]:
    """Return the variables of a dashboard, of one kind or all."""
    found: list[Json] = dashboard["templating"]["list"]
    return [each for each in found if kind is None or each["type"] == kind]


def panels(dashboard: Json) -> Iterator[Json]:
    """Yield the panels that show something, those in closed rows too."""
    for panel in dashboard["panels"]:
        if panel["type"] not in SHOWS_NOTHING:
            yield panel
        yield from panel.get("panels", ())


def targets(dashboard: Json) -> Iterator[tuple[str, Json]]:
    """Yield each query with the title of its panel."""
    for panel in panels(dashboard):
        for target in panel.get("targets", ()):
            yield panel.get("title", ""), target


def chosen_source(thing: Json) -> bool:
    """Return whether a panel, a query or a variable takes the chosen data source."""
    return thing.get("datasource", {}).get("uid") in ("$datasource", "${datasource}")


def template_datasource(dashboard: Json) -> Iterator[str]:
    found = variables(dashboard, "datasource")
    if len(found) != 1:
        yield f"expected one data source to choose, found {len(found)}"
    for each in found:
        if each["query"] != PROMETHEUS:
            yield f"expected a data source of {PROMETHEUS}, found {each['query']}"
        if each["name"] not in ("datasource", f"{PROMETHEUS}_datasource"):
            yield f"expected the variable datasource, found {each['name']}"
        if each.get("label") not in ("Data source", "Prometheus data source"):
            yield f"expected the label Data source, found {each.get('label')}"


def template_label(name: str) -> Rule:
    """Return the rule that a label can be chosen, several values of it or all."""

    def rule(dashboard: Json) -> Iterator[str]:
        found = [each for each in variables(dashboard) if each["name"] == name]
        if len(found) != 1:
            yield f"expected one variable {name}, found {len(found)}"
        for each in found:
            wanted = {
                "type": "query",
                "label": name.capitalize(),
                "multi": True,
                "allValue": ANY,
            }
            for key, value in wanted.items():
                if each.get(key) != value:
                    yield f"expected {key} of {name} {value!r}, found {each.get(key)!r}"
            if not chosen_source(each):
                yield f"expected {name} of the chosen data source, found {each.get('datasource')}"

    return rule


def template_label_promql(dashboard: Json) -> Iterator[str]:
    for each in variables(dashboard, "query"):
        match = re.fullmatch(r"([a-z_]+)\((.+)\)", each["query"])
        if match is None or match[1] not in ASKS:
            yield f"expected one of {sorted(ASKS)}, found {each['query']}"
            continue
        asked = match[2]
        if match[1] == "label_values":
            asked = asked.rpartition(",")[0]
        yield from not_promql(asked)


def template_on_time_change_reload(dashboard: Json) -> Iterator[str]:
    for each in variables(dashboard, "query"):
        if each.get("refresh") != ON_TIME_RANGE_CHANGE:
            yield f"expected {each['name']} read again with the time, found {each.get('refresh')}"


def panel_datasource(dashboard: Json) -> Iterator[str]:
    for panel in panels(dashboard):
        if not chosen_source(panel):
            yield f"{panel['title']}: expected the chosen source, found {panel.get('datasource')}"
    for title, target in targets(dashboard):
        if not chosen_source(target):
            yield f"{title}: expected the chosen source, found {target.get('datasource')}"


def panel_title_description(dashboard: Json) -> Iterator[str]:
    for panel in panels(dashboard):
        if not panel.get("title") or not panel.get("description"):
            yield f"panel {panel['id']}: expected a title and a description"


def panel_units(dashboard: Json) -> Iterator[str]:
    for panel in panels(dashboard):
        config = panel["fieldConfig"]
        units = [config["defaults"].get("unit")]
        units += [
            each["value"]
            for override in config["overrides"]
            for each in override["properties"]
            if each["id"] == "unit"
        ]
        for unit in units:
            if unit not in UNITS:
                yield f"{panel['title']}: expected one of {sorted(UNITS)}, found {unit!r}"


def panel_no_targets(dashboard: Json) -> Iterator[str]:
    for panel in panels(dashboard):
        if not panel.get("targets"):
            yield f"{panel['title']}: expected a query"


def target_logql(dashboard: Json) -> Iterator[str]:
    """A query of a log would have to be LogQL, which nothing here can read: there is none."""
    for title, target in targets(dashboard):
        if target.get("datasource", {}).get("type") == LOKI:
            yield f"{title}: expected no query of logs"


def target_logql_auto(dashboard: Json) -> Iterator[str]:
    for title, target in targets(dashboard):
        if target.get("datasource", {}).get("type") == LOKI:
            for length in re.findall(r"\[([^\]]*)\]", target["expr"]):
                if length != "$__auto":
                    yield f"{title}: expected [$__auto], found [{length}]"


def target_promql(dashboard: Json) -> Iterator[str]:
    for title, target in targets(dashboard):
        for wrong in not_promql(target.get("expr", "")):
            yield f"{title}: {wrong}"


def target_rate_interval(dashboard: Json) -> Iterator[str]:
    for title, target in targets(dashboard):
        for selector in readable(target["expr"]):
            if selector.function in RATES and selector.range != RATE_INTERVAL:
                yield f"{title}: expected $__rate_interval, found {selector.range}"


def target_label(name: str) -> Rule:
    """Return the rule that every series is of the chosen values of a label."""

    def rule(dashboard: Json) -> Iterator[str]:
        for title, target in targets(dashboard):
            for selector in readable(target["expr"]):
                wanted = (name, "MatchOp.Re", f"${name}")
                if wanted not in [(e.label, e.operator, e.value) for e in selector.matchers]:
                    yield f'{title}: expected {name}=~"${name}" of {selector.name}'

    return rule


def target_counter_agg(dashboard: Json) -> Iterator[str]:
    for title, target in targets(dashboard):
        for selector in readable(target["expr"]):
            if selector.name.endswith("_total") and selector.function not in COUNTING:
                yield f"{title}: expected a rate or an increase of {selector.name}"


def uneditable_dashboard(dashboard: Json) -> Iterator[str]:
    if dashboard.get("editable", True):
        yield "expected a dashboard that cannot be edited"


def not_promql(expr: str) -> Iterator[str]:
    """Yield why an expression is no PromQL."""
    try:
        parse(expr)
    except ValueError as error:
        yield f"expected PromQL, found {expr!r}: {error}"


def readable(expr: str) -> list[Selector]:
    """Return an expression's selectors; none of what is no PromQL, which has a rule of its own."""
    return [] if list(not_promql(expr)) else selectors(expr)


LINT: Final[Mapping[str, Rule]] = {
    "template-datasource-rule": template_datasource,
    "template-job-rule": template_label("job"),
    "template-instance-rule": template_label("instance"),
    "template-label-promql-rule": template_label_promql,
    "template-on-time-change-reload-rule": template_on_time_change_reload,
    "panel-datasource-rule": panel_datasource,
    "panel-title-description-rule": panel_title_description,
    "panel-units-rule": panel_units,
    "panel-no-targets-rule": panel_no_targets,
    "target-logql-rule": target_logql,
    "target-logql-auto-rule": target_logql_auto,
    "target-promql-rule": target_promql,
    "target-rate-interval-rule": target_rate_interval,
    "target-job-rule": target_label("job"),
    "target-instance-rule": target_label("instance"),
    "target-counter-agg-rule": target_counter_agg,
    "uneditable-dashboard": uneditable_dashboard,
}
"""Each rule by its name."""
