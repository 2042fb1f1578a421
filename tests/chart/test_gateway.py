"""The gateways: each with a volume, a Service and a name of its own."""

from itertools import starmap

from tests.chart.expected import (
    CACHE,
    KAFKA,
    KAFKA_ACCESS,
    KAFKA_FILES,
    KAFKA_VOLUME,
    POD_NAME,
    TMP,
    TMP_VOLUME,
    labels,
    port,
    secret_mount,
    secret_volume,
    selector,
)
from tests.chart.probes import probes
from tests.chart.rendering import FULL, Chart

DOMAIN = "floor.casino.example"
SPOOL = {"name": "spool", "mountPath": "/var/lib/pitwatch"}


def test_gateways_are_a_stateful_set_whose_volumes_outlive_it(chart: Chart) -> None:
    gateways = chart.render("least").one("StatefulSet", "gateway")
    spec = gateways["spec"]
    assert gateways["metadata"]["labels"] == labels("gateway")
    assert spec["replicas"] == 1
    assert spec["serviceName"] == f"{FULL}-gateway"
    assert spec["podManagementPolicy"] == "Parallel"
    assert spec["persistentVolumeClaimRetentionPolicy"] == {
        "whenDeleted": "Retain",
        "whenScaled": "Retain",
    }
    assert spec["volumeClaimTemplates"] == [
        {
            "apiVersion": "v1",
            "kind": "PersistentVolumeClaim",
            "metadata": {"name": "spool", "labels": selector("gateway")},
            "spec": {
                "accessModes": ["ReadWriteOnce"],
                "resources": {"requests": {"storage": "8Gi"}},
            },
        }
    ]
    (claim,) = chart.render("inventory").one("StatefulSet", "gateway")["spec"][
        "volumeClaimTemplates"
    ]
    assert claim["spec"]["storageClassName"] == "fast"


def test_a_gateway_is_told_its_spool_and_its_name(chart: Chart) -> None:
    gateway = chart.render("least").container("StatefulSet", "gateway")
    assert gateway["name"] == "gateway"
    assert gateway["args"] == [
        "gateway",
        "--spool=/var/lib/pitwatch/spool",
        "--spool-mebibytes=6144",
        "--spool-days=7",
        f"--bootstrap={KAFKA}",
        "--topic-prefix=pitwatch.",
        "--name=$(POD_NAME)",
        "--host=0.0.0.0",
        "--insecure-listen",
    ]
    assert gateway["env"] == [POD_NAME, CACHE]
    assert gateway["ports"] == [{"name": "intake", "containerPort": 7301}]
    assert gateway["volumeMounts"] == [SPOOL, TMP]
    volumes = chart.render("least").pod("StatefulSet", "gateway")["volumes"]
    assert volumes == [TMP_VOLUME]
    assert gateway["resources"] == {
        "requests": {"cpu": "250m", "memory": "256Mi"},
        "limits": {"memory": "1Gi"},
    }
    args = chart.render("inventory").container("StatefulSet", "gateway")["args"]
    assert "--spool-days=0.5" in args
    assert "--topic-prefix=casino." in args
    assert "--host=::" in chart.render("bare").container("StatefulSet", "gateway")["args"]


def test_a_gateway_is_ready_by_its_own_answer(chart: Chart) -> None:
    assert probes(chart.render("least").container("StatefulSet", "gateway")) == {
        "startupProbe": ("/healthz", "intake", 5, 60, 3),
        "livenessProbe": ("/healthz", "intake", 10, 6, 5),
        "readinessProbe": ("/readyz", "intake", 5, 3, 3),
    }


def test_gateways_stay_as_they_are_while_workers_are_upgraded(chart: Chart) -> None:
    def update(case: str) -> object:
        return chart.render(case).one("StatefulSet", "gateway")["spec"]["updateStrategy"]

    assert update("least") == {"type": "RollingUpdate", "rollingUpdate": {"partition": 0}}
    assert update("upgrading") == {"type": "RollingUpdate", "rollingUpdate": {"partition": 2}}
    gateway = chart.render("upgrading").container("StatefulSet", "gateway")
    assert gateway["image"] == "pitwatch:0.1.0"
    worker = chart.render("upgrading").container("StatefulSet", "worker")
    assert worker["image"] == "pitwatch:0.2.0"


def test_each_gateway_has_an_address_of_its_own(chart: Chart) -> None:
    rendered = chart.render("trial")
    addresses = [name for name in rendered.names("Service") if "-gateway" in name]
    assert addresses == [f"{FULL}-gateway", f"{FULL}-gateway-0", f"{FULL}-gateway-1"]
    for number in range(2):
        service = rendered.one("Service", f"gateway-{number}")
        assert service["metadata"]["labels"] == labels("gateway")
        assert "annotations" not in service["metadata"]
        assert service["spec"] == {
            "type": "ClusterIP",
            "publishNotReadyAddresses": True,
            "selector": {
                **selector("gateway"),
                "statefulset.kubernetes.io/pod-name": f"{FULL}-gateway-{number}",
            },
            "ports": [port("intake", 7301)],
        }


def test_the_gateways_common_service_balances_nothing(chart: Chart) -> None:
    service = chart.render("least").one("Service", "gateway")
    assert service["metadata"]["labels"] == {**labels("gateway"), "pitwatch/metrics": "intake"}
    assert service["spec"] == {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": selector("gateway"),
        "ports": [port("intake", 7301)],
    }


def test_gateways_can_have_ports_of_the_nodes_in_their_order(chart: Chart) -> None:
    services = {each["metadata"]["name"]: each for each in chart.render("exposed").all("Service")}
    for number in range(3):
        service = services[f"pit-gateway-{number}"]
        assert service["metadata"]["annotations"] == {
            "external-dns.alpha.kubernetes.io/hostname": f"pit-gateway-{number}.{DOMAIN}",
            "example.com/zone": "floor",
        }
        assert service["spec"]["type"] == "NodePort"
        assert service["spec"]["externalTrafficPolicy"] == "Local"
        assert service["spec"]["ports"] == [{**port("intake", 7301), "nodePort": 31300 + number}]
    console, _ = chart.render("exposed").all("Deployment")
    (container,) = console["spec"]["template"]["spec"]["containers"]
    assert f"--gateway=http://pit-gateway-0.{DOMAIN}:7301" in container["args"]
    chosen = chart.render("exposed", "gateway.service.firstNodePort=null").all("Service")
    assert not [each for each in chosen if "nodePort" in each["spec"]["ports"][0]]


def test_a_gateway_can_have_a_load_balancer_that_is_its_own(chart: Chart) -> None:
    spec = chart.render("bare").one("Service", "gateway-0")["spec"]
    assert spec["type"] == "LoadBalancer"
    assert spec["externalTrafficPolicy"] == "Cluster"
    assert "nodePort" not in spec["ports"][0]


def test_a_secured_gateway_has_its_keys_as_files(chart: Chart) -> None:
    gateway = chart.render("secured").container("StatefulSet", "gateway")
    assert gateway["args"][8:] == [
        "--tls-certificate=/etc/pitwatch/tls/tls.crt",
        "--tls-key=/etc/pitwatch/tls/tls.key",
        "--device-ca=/etc/pitwatch/device-ca/ca.crt",
        "--device-tokens=/etc/pitwatch/device-tokens/tokens",
        "--signing-key-file=/etc/pitwatch/signing-keys/$(POD_NAME)",
    ]
    assert gateway["env"] == [
        POD_NAME,
        CACHE,
        *KAFKA_ACCESS,
    ]
    secrets = {
        "device-ca": "device-ca",
        "device-tokens": "device-tokens",
        "signing-keys": "gateway-keys",
        "tls": "gateway-tls",
    }
    assert gateway["volumeMounts"] == [
        SPOOL,
        TMP,
        KAFKA_FILES,
        *map(secret_mount, secrets),
    ]
    assert chart.render("secured").pod("StatefulSet", "gateway")["volumes"] == [
        TMP_VOLUME,
        KAFKA_VOLUME,
        *starmap(secret_volume, secrets.items()),
    ]
    assert set(probes(gateway, "HTTPS")) == {"startupProbe", "livenessProbe", "readinessProbe"}
