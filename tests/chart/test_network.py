"""Nothing in and nothing out but what each part needs."""

from typing import Any

from tests.chart.expected import labels, selector
from tests.chart.rendering import FULL, RELEASE, Chart, Rendered

COMPONENTS = ("console", "gateway", "historian", "topics", "trial", "worker")
ALL_PODS: dict[str, Any] = {"namespaceSelector": {}}


def tcp(*ports: int) -> list[dict[str, Any]]:
    return [{"port": port, "protocol": "TCP"} for port in ports]


def peer(component: str) -> dict[str, Any]:
    return {"podSelector": {"matchLabels": selector(component)}}


def out(component: str, port: int) -> dict[str, Any]:
    return {"ports": tcp(port), "to": [peer(component)]}


def rules(rendered: Rendered, component: str) -> dict[str, Any]:
    policy = rendered.one("NetworkPolicy", component)
    assert policy["metadata"]["labels"] == labels(component)
    spec = dict(policy["spec"])
    assert spec.pop("podSelector") == {"matchLabels": selector(component)}
    assert spec.pop("policyTypes") == ["Ingress", "Egress"]
    return spec


def test_every_pod_is_denied_all_but_names(chart: Chart) -> None:
    rendered = chart.render("least")
    policy = rendered.one("NetworkPolicy")
    assert policy["metadata"]["labels"] == labels("network")
    assert policy["spec"] == {
        "podSelector": {
            "matchLabels": {
                "app.kubernetes.io/name": "pitwatch",
                "app.kubernetes.io/instance": RELEASE,
            }
        },
        "policyTypes": ["Ingress", "Egress"],
        "egress": [{"ports": [{"port": 53, "protocol": "UDP"}, *tcp(53)]}],
    }
    names = [FULL, *(f"{FULL}-{each}" for each in COMPONENTS)]
    assert rendered.names("NetworkPolicy") == names
    assert chart.render("bare").all("NetworkPolicy") == []


def test_workers_are_asked_for_health_and_speak_to_kafka(chart: Chart) -> None:
    assert rules(chart.render("least"), "worker") == {
        "ingress": [{"ports": [{"port": "health"}], "from": [peer("console"), ALL_PODS]}],
        "egress": [{"ports": tcp(9092)}],
    }


def test_gateways_take_from_devices_and_speak_to_kafka(chart: Chart) -> None:
    inside = [peer("console"), peer("topics"), peer("trial"), ALL_PODS]
    assert rules(chart.render("least"), "gateway") == {
        "ingress": [
            {"ports": [{"port": "intake"}]},
            {"ports": [{"port": "intake"}], "from": inside},
        ],
        "egress": [{"ports": tcp(9092)}],
    }


def test_consoles_serve_pages_and_ask_every_part(chart: Chart) -> None:
    assert rules(chart.render("least"), "console") == {
        "ingress": [
            {"ports": [{"port": "pages"}]},
            {"ports": [{"port": "health"}], "from": [ALL_PODS]},
        ],
        "egress": [
            {"ports": tcp(9092)},
            {"ports": tcp(5432)},
            out("worker", 7302),
            out("gateway", 7301),
            out("historian", 7304),
        ],
    }


def test_the_historian_speaks_to_kafka_and_the_database(chart: Chart) -> None:
    assert rules(chart.render("least"), "historian") == {
        "ingress": [{"ports": [{"port": "health"}], "from": [peer("console"), ALL_PODS]}],
        "egress": [{"ports": tcp(9092)}, {"ports": tcp(5432)}],
    }


def test_hooks_and_tests_are_reached_by_nobody(chart: Chart) -> None:
    assert rules(chart.render("least"), "topics") == {
        "egress": [{"ports": tcp(9092)}, out("gateway", 7301)]
    }
    assert rules(chart.render("least"), "trial") == {
        "egress": [{"ports": tcp(5432)}, out("gateway", 7301)]
    }


def test_a_site_says_where_everyone_is(chart: Chart) -> None:
    rendered = chart.render("guarded")
    kafka = {"ports": tcp(9093, 9094), "to": [{"ipBlock": {"cidr": "10.3.0.0/16"}}]}
    database = {"ports": tcp(6432), "to": [{"ipBlock": {"cidr": "10.4.0.0/16"}}]}
    prometheus = {"podSelector": {"matchLabels": {"app": "prometheus"}}}
    worker, gateway = rules(rendered, "worker"), rules(rendered, "gateway")
    console, historian = rules(rendered, "console"), rules(rendered, "historian")
    assert worker["egress"] == [kafka]
    assert worker["ingress"][0]["from"] == [peer("console"), prometheus]
    assert gateway["ingress"][0]["from"] == [{"ipBlock": {"cidr": "10.1.0.0/16"}}]
    assert gateway["ingress"][1]["from"][-1] == prometheus
    assert console["ingress"][0]["from"] == [{"ipBlock": {"cidr": "10.2.0.0/16"}}]
    assert console["ingress"][1]["from"] == [prometheus]
    assert console["egress"][:2] == [kafka, database]
    assert historian["egress"] == [kafka, database]


def test_where_no_prometheus_is_named_nobody_asks_for_metrics(chart: Chart) -> None:
    rendered = chart.render("least", "networkPolicy.prometheus=null")
    assert rules(rendered, "worker")["ingress"][0]["from"] == [peer("console")]
    assert rules(rendered, "historian")["ingress"][0]["from"] == [peer("console")]
    assert rules(rendered, "gateway")["ingress"][1]["from"] == [
        peer(each) for each in ("console", "topics", "trial")
    ]
    assert [each["ports"] for each in rules(rendered, "console")["ingress"]] == [
        [{"port": "pages"}]
    ]


def test_ports_of_kafka_are_those_of_its_brokers(chart: Chart) -> None:
    brokers = r"kafka.bootstrapServers=a:9093\,b:9094\,c:9093"
    rendered = chart.render("least", brokers)
    assert rules(rendered, "worker")["egress"] == [{"ports": tcp(9093, 9094)}]


def test_a_drain_takes_one_pod_of_a_part_at_once(chart: Chart) -> None:
    rendered = chart.render("least")
    parts = ("console", "gateway", "worker")
    assert rendered.names("PodDisruptionBudget") == [f"{FULL}-{part}" for part in parts]
    for part in parts:
        budget = rendered.one("PodDisruptionBudget", part)
        assert budget["metadata"]["labels"] == labels(part)
        assert budget["spec"] == {
            "maxUnavailable": 1,
            "unhealthyPodEvictionPolicy": "AlwaysAllow",
            "selector": {"matchLabels": selector(part)},
        }
    assert chart.render("bare").all("PodDisruptionBudget") == []
