"""What Prometheus and Grafana find: rules and dashboards as the chart's files have them."""

import json
from typing import Any

import yaml

from tests.chart.expected import labels, selector
from tests.chart.rendering import FULL, Chart

ADDED = {"release": "prometheus"}
PORTS = {"console": "health", "gateway": "intake", "historian": "health", "worker": "health"}


def test_nothing_of_operators_is_made_unless_asked_for(chart: Chart) -> None:
    rendered = chart.render("least")
    assert rendered.all("ServiceMonitor", "PrometheusRule") == []
    assert rendered.names("ConfigMap") == [f"{FULL}-files"]


def test_each_part_is_scraped_at_the_service_that_names_all_its_pods(chart: Chart) -> None:
    rendered = chart.render("monitoring")
    assert rendered.names("ServiceMonitor") == [f"{FULL}-{each}" for each in PORTS]
    for component, port in PORTS.items():
        monitor = rendered.one("ServiceMonitor", component)
        assert monitor["metadata"]["labels"] == {**labels(component), **ADDED}
        assert monitor["spec"] == {
            "jobLabel": "app.kubernetes.io/component",
            "selector": {"matchLabels": {**selector(component), "pitwatch/metrics": port}},
            "endpoints": [{"port": port, "path": "/metrics", "interval": "30s"}],
        }
        wanted = monitor["spec"]["selector"]["matchLabels"].items()
        found = [
            each["metadata"]["name"]
            for each in rendered.all("Service")
            if wanted <= each["metadata"]["labels"].items()
        ]
        assert found == [f"{FULL}-{component}"]


def test_a_gateway_with_https_is_scraped_over_it_and_known_by_its_authority(chart: Chart) -> None:
    known = {
        "ca": {"secret": {"name": "gateway-tls", "key": "ca.crt"}},
        "serverName": f"{FULL}-gateway-0",
    }
    scraped = "metrics.serviceMonitor.enabled=true"
    anyone = "metrics.serviceMonitor.insecureSkipVerify=true"
    trusts: tuple[tuple[tuple[str, ...], dict[str, Any]], ...] = (
        ((scraped,), known),
        ((scraped, anyone), {"insecureSkipVerify": True}),
    )
    for values, trusted in trusts:
        rendered = chart.render("secured", *values)
        for component in PORTS:
            (endpoint,) = rendered.one("ServiceMonitor", component)["spec"]["endpoints"]
            secured = {"scheme": "https", "tlsConfig": trusted}
            wanted = secured if component == "gateway" else dict.fromkeys(secured)
            assert {key: endpoint.get(key) for key in secured} == wanted


def test_rules_are_the_files(chart: Chart) -> None:
    files = sorted(chart.folder.glob("files/rules/*.yaml"))
    rendered = chart.render("monitoring")
    assert files
    assert rendered.names("PrometheusRule") == sorted(f"{FULL}-{file.stem}" for file in files)
    for file in files:
        rule = rendered.one("PrometheusRule", file.stem)
        assert rule["metadata"]["labels"] == {**labels("monitoring"), **ADDED}
        assert rule["spec"] == yaml.safe_load(file.read_text(encoding="utf-8"))


def test_alerts_lead_to_the_runbooks_that_the_house_serves(chart: Chart) -> None:
    house = "https://runbooks.casino.example/pitwatch"
    rendered = chart.render("monitoring", f"metrics.prometheusRule.runbooks={house}")
    alerts = [
        rule
        for each in rendered.all("PrometheusRule")
        for group in each["spec"]["groups"]
        for rule in group["rules"]
        if "alert" in rule
    ]
    assert alerts
    for rule in alerts:
        assert rule["annotations"]["runbook_url"] == f"{house}/{rule['alert']}.md"


def test_dashboards_are_the_files_in_config_maps_that_grafana_looks_for(chart: Chart) -> None:
    files = sorted(chart.folder.glob("files/dashboards/*.json"))
    rendered = chart.render("monitoring")
    assert files
    for file in files:
        config = rendered.one("ConfigMap", f"dashboard-{file.stem}")
        assert config["metadata"]["labels"] == {**labels("monitoring"), "grafana_dashboard": "1"}
        assert config["metadata"]["annotations"] == {"grafana_folder": "Pitwatch"}
        (text,) = config["data"].values()
        assert list(config["data"]) == [file.name]
        assert json.loads(text) == json.loads(file.read_text(encoding="utf-8"))
    plain = chart.render("least", "metrics.dashboards.enabled=true")
    config = plain.one("ConfigMap", f"dashboard-{files[0].stem}")
    assert "annotations" not in config["metadata"]
