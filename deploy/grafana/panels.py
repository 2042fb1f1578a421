"""What dashboards are made of: queries, panels and rows, and the JSON that Grafana reads of them.

Every query is of the chosen data source, and every series in it of the chosen jobs and instances,
so that one dashboard serves one floor or many. A rate is over ``$__rate_interval``, which Grafana
works out from the scrape interval and the width of a point; an increase may be over a time that
the panel's title says.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

DATA_SOURCE: Final = {"type": "prometheus", "uid": "$datasource"}
SCHEMA_VERSION: Final = 39
WIDTH: Final = 24
"""Columns of a dashboard."""

CHOSEN: Final = ('job=~"$job"', 'instance=~"$instance"')
"""What every series is chosen by."""

Json = dict[str, Any]


def series(name: str, *matchers: str) -> str:
    """Return the selector of a metric's series, of the chosen jobs and instances."""
    return f"{name}{{{', '.join((*CHOSEN, *matchers))}}}"


def rate(name: str, *matchers: str) -> str:
    """Return a counter's rate a second."""
    return f"rate({series(name, *matchers)}[$__rate_interval])"


def increase(name: str, *matchers: str, over: str = "$__rate_interval") -> str:
    """Return by how much a counter grew, over a time that the panel tells or of one point."""
    return f"increase({series(name, *matchers)}[{over}])"


def quantile(part: float, name: str, by: str = "le") -> str:
    """Return a quantile of a histogram, of all that was observed within one point."""
    return f"histogram_quantile({part:g}, sum by ({by}) ({rate(f'{name}_bucket')}))"


@dataclass(frozen=True, slots=True)
class Query:
    """One query of a panel; ``legend`` names its series, with labels in double braces."""

    expr: str
    legend: str


@dataclass(frozen=True, slots=True)
class Panel:
    """One panel.

    Attributes:
        kind: Grafana's word for how it is drawn: ``timeseries``, ``stat`` or ``bargauge``.
        title: what it shows.
        description: what it tells, and from when on it is no longer well.
        unit: Grafana's word for the unit of its values.
        queries: where they come from.
        limit: from this value on it is drawn as what is not well, if there is such a value.
        width: in columns.
        height: in rows.
        stacked: whether series stand on one another.
    """

    kind: str
    title: str
    description: str
    unit: str
    queries: tuple[Query, ...]
    limit: float | None = None
    width: int = 8
    height: int = 8
    stacked: bool = False

    def drawn(self, number: int, x: int, y: int) -> Json:
        """Return its JSON at a place."""
        return {
            "id": number,
            "type": self.kind,
            "title": self.title,
            "description": self.description,
            "datasource": DATA_SOURCE,
            "gridPos": {"x": x, "y": y, "w": self.width, "h": self.height},
            "targets": [
                {
                    "refId": chr(ord("A") + place),
                    "datasource": DATA_SOURCE,
                    "editorMode": "code",
                    "expr": query.expr,
                    "legendFormat": query.legend,
                    "instant": self.kind != "timeseries",
                    "range": self.kind == "timeseries",
                }
                for place, query in enumerate(self.queries)
            ],
            "fieldConfig": {"defaults": self._defaults(), "overrides": []},
            "options": self._options(),
        }

    def _defaults(self) -> Json:
        steps: list[Json] = [
            {"color": "green" if self.limit is not None else "text", "value": None}
        ]
        if self.limit is not None:
            steps.append({"color": "red", "value": self.limit})
        found: Json = {
            "unit": self.unit,
            "min": 0,
            "thresholds": {"mode": "absolute", "steps": steps},
            "color": {"mode": "thresholds" if self.kind == "stat" else "palette-classic"},
        }
        if self.kind == "timeseries":
            found["custom"] = {
                "drawStyle": "line",
                "lineWidth": 1,
                "fillOpacity": 30 if self.stacked else 5,
                "showPoints": "never",
                "stacking": {"mode": "normal" if self.stacked else "none", "group": "A"},
                "thresholdsStyle": {"mode": "line" if self.limit is not None else "off"},
            }
        return found

    def _options(self) -> Json:
        if self.kind == "timeseries":
            return {
                "legend": {
                    "displayMode": "table",
                    "placement": "bottom",
                    "calcs": ["lastNotNull", "max"],
                },
                "tooltip": {"mode": "multi", "sort": "desc"},
            }
        reduced = {"calcs": ["lastNotNull"], "fields": "", "values": False}
        if self.kind == "stat":
            return {"reduceOptions": reduced, "colorMode": "value", "graphMode": "none"}
        return {"reduceOptions": reduced, "orientation": "horizontal", "displayMode": "basic"}


def stat(title: str, description: str, unit: str, expr: str, limit: float | None = None) -> Panel:
    """Return a panel of one number as it is now."""
    query = Query(expr, "")
    return Panel("stat", title, description, unit, (query,), limit, width=4, height=4)


def graph(
    title: str,
    description: str,
    unit: str,
    *queries: tuple[str, str],
    limit: float | None = None,
    stacked: bool = False,
    width: int = 8,
) -> Panel:
    """Return a panel of lines over time; each query with the legend of its series."""
    made = tuple(Query(expr, legend) for expr, legend in queries)
    return Panel("timeseries", title, description, unit, made, limit, width=width, stacked=stacked)


def bars(title: str, description: str, unit: str, expr: str, legend: str, width: int = 8) -> Panel:
    """Return a panel of one bar a series, as it is now."""
    return Panel("bargauge", title, description, unit, (Query(expr, legend),), width=width)


@dataclass(frozen=True, slots=True)
class Row:
    """A row's title and its panels, left to right and then down."""

    title: str
    panels: tuple[Panel, ...]


@dataclass(frozen=True, slots=True)
class Dashboard:
    """A dashboard; ``known_by`` is the metric that tells which jobs and instances there are."""

    name: str
    title: str
    description: str
    known_by: str
    rows: tuple[Row, ...]

    def text(self) -> str:
        """Return its JSON as it is written to a file."""
        return json.dumps(self.drawn(), indent=2) + "\n"

    def drawn(self) -> Json:
        """Return its JSON."""
        return {
            "uid": f"pitwatch-{self.name}",
            "title": f"Pitwatch / {self.title}",
            "description": self.description,
            "tags": ["pitwatch"],
            "editable": False,
            "graphTooltip": 1,
            "schemaVersion": SCHEMA_VERSION,
            "time": {"from": "now-6h", "to": "now"},
            "timezone": "",
            "refresh": "30s",
            "links": [
                {
                    "type": "dashboards",
                    "title": "Pitwatch",
                    "tags": ["pitwatch"],
                    "asDropdown": True,
                    "includeVars": True,
                    "keepTime": True,
                }
            ],
            "annotations": {"list": []},
            "templating": {"list": list(self._variables())},
            "panels": placed(self.rows),
        }

    def _variables(self) -> Iterator[Json]:
        yield {
            "name": "datasource",
            "label": "Data source",
            "type": "datasource",
            "query": "prometheus",
            "current": {},
            "hide": 0,
        }
        yield chosen("job", f"label_values({self.known_by}, job)")
        yield chosen("instance", f'label_values({self.known_by}{{job=~"$job"}}, instance)')


def chosen(label: str, query: str) -> Json:
    """Return the variable of a label of which one, several or all values may be chosen."""
    return {
        "name": label,
        "label": label.capitalize(),
        "type": "query",
        "datasource": DATA_SOURCE,
        "query": query,
        "refresh": 2,
        "multi": True,
        "includeAll": True,
        "allValue": ".+",
        "current": {"selected": True, "text": ["All"], "value": ["$__all"]},
        "sort": 1,
        "hide": 0,
    }


def placed(rows: Sequence[Row]) -> list[Json]:
    """Return rows and their panels, each where there is room for it."""
    found: list[Json] = []
    y = 0
    for row in rows:
        place = {"x": 0, "y": y, "w": WIDTH, "h": 1}
        found.append(
            {
                "id": len(found) + 1,
                "type": "row",
                "title": row.title,
                "collapsed": False,
                "gridPos": place,
                "panels": [],
            }
        )
        y += 1
        x = height = 0
        for panel in row.panels:
            if x + panel.width > WIDTH:
                x, y, height = 0, y + height, 0
            found.append(panel.drawn(len(found) + 1, x, y))
            x += panel.width
            height = max(height, panel.height)
        y += height
    return found
