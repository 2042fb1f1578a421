"""The consoles and their way in, the historian, and the one pod of `helm test`."""

from tests.chart.expected import (
    CACHE,
    DATA,
    DATA_VOLUME,
    DATABASE,
    FILES,
    FILES_VOLUME,
    GATEWAY_CA_VOLUME,
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


def test_consoles_are_a_deployment_of_two(chart: Chart) -> None:
    consoles = chart.render("least").one("Deployment", "console")
    assert consoles["metadata"]["labels"] == labels("console")
    assert consoles["spec"]["replicas"] == 2
    assert chart.render("trial").one("Deployment", "console")["spec"]["replicas"] == 1


def test_a_console_is_told_whom_to_ask(chart: Chart) -> None:
    console = chart.render("trial").container("Deployment", "console")
    assert console["name"] == "console"
    assert console["args"] == [
        "console",
        "--bootstrap=kafka:9092",
        "--topic-prefix=pitwatch.",
        "--host=0.0.0.0",
        "--insecure-listen",
        "--zone=America/New_York",
        "--clients=500",
        f"--gateway=http://{FULL}-gateway-0.casino.svc:7301",
        "--rulebook=nj",
        "--command-keys=/etc/pitwatch/command-key/key",
        f"--metrics=http://{FULL}-gateway-0:7301",
        f"--metrics=http://{FULL}-gateway-1:7301",
        f"--metrics=http://{FULL}-worker-0.{FULL}-worker:7302",
        f"--metrics=http://{FULL}-worker-1.{FULL}-worker:7302",
        f"--metrics=http://{FULL}-historian:7304",
    ]
    assert console["env"] == [POD_NAME, CACHE, DATABASE]
    assert console["ports"] == [
        {"name": "pages", "containerPort": 7303},
        {"name": "health", "containerPort": 7313},
    ]
    assert console["volumeMounts"] == [TMP, DATA, FILES, secret_mount("command-key")]
    volumes = chart.render("trial").pod("Deployment", "console")["volumes"]
    key = secret_volume("command-key", "pitwatch-command-key")
    assert volumes == [TMP_VOLUME, DATA_VOLUME, FILES_VOLUME, key]


def test_a_console_speaks_through_https_unless_told_otherwise(chart: Chart) -> None:
    args = chart.render("least").container("Deployment", "console")["args"]
    assert args[4] == "--behind-https"
    assert "--insecure-listen" not in args


def test_a_console_is_told_its_floor(chart: Chart) -> None:
    args = chart.render("inventory").container("Deployment", "console")["args"]
    for wanted in (
        "--topic-prefix=casino.",
        "--proxy=10.0.0.0/8",
        "--proxy=fd00::1",
        "--floor=/etc/pitwatch/files/floor.toml",
        "--zone=Europe/Vienna",
        "--clients=50",
        "--rulebook=/etc/pitwatch/files/rulebook.toml",
    ):
        assert wanted in args
    assert "--host=::" in chart.render("bare").container("Deployment", "console")["args"]


def test_a_console_asks_secured_gateways_over_https(chart: Chart) -> None:
    console = chart.render("secured").container("Deployment", "console")
    assert f"--gateway=https://{FULL}-gateway-0.casino.svc:7301" in console["args"]
    assert f"--metrics=https://{FULL}-gateway-0:7301" in console["args"]
    assert "--metrics-ca=/etc/pitwatch/gateway-ca/ca.crt" in console["args"]
    assert console["env"] == [POD_NAME, CACHE, *KAFKA_ACCESS, DATABASE]
    assert KAFKA_FILES in console["volumeMounts"]
    assert console["volumeMounts"][-1] == secret_mount("gateway-ca")
    pod = chart.render("secured").pod("Deployment", "console")
    assert pod["volumes"][-1] == GATEWAY_CA_VOLUME


def test_a_console_is_asked_on_a_thread_of_its_own(chart: Chart) -> None:
    console = chart.render("least").container("Deployment", "console")
    assert probes(console) == {
        "startupProbe": ("/healthz", "health", 5, 60, 3),
        "livenessProbe": ("/healthz", "health", 10, 6, 5),
        "readinessProbe": ("/readyz", "health", 5, 3, 3),
    }
    assert console["resources"] == {
        "requests": {"cpu": "250m", "memory": "256Mi"},
        "limits": {"memory": "1Gi"},
    }


def test_any_console_may_be_asked_for_a_page(chart: Chart) -> None:
    service = chart.render("least").one("Service", "console")
    assert service["metadata"]["labels"] == {**labels("console"), "pitwatch/metrics": "health"}
    assert service["spec"] == {
        "type": "ClusterIP",
        "selector": selector("console"),
        "ports": [port("pages", 7303), port("health", 7313)],
    }
    exposed = {each["metadata"]["name"]: each for each in chart.render("exposed").all("Service")}
    assert exposed["pit-console"]["spec"]["type"] == "LoadBalancer"


def test_the_ingress_gathers_nothing_and_waits_an_hour(chart: Chart) -> None:
    assert chart.render("least").all("Ingress") == []
    (ingress,) = chart.render("exposed").all("Ingress")
    assert ingress["metadata"] == {
        "name": "pit-console",
        "labels": labels("console"),
        "annotations": {
            "nginx.ingress.kubernetes.io/proxy-buffering": "off",
            "nginx.ingress.kubernetes.io/proxy-read-timeout": "3600",
            "cert-manager.io/cluster-issuer": "casino",
        },
    }
    backend = {"service": {"name": "pit-console", "port": {"name": "pages"}}}
    path = {"path": "/", "pathType": "Prefix", "backend": backend}
    host = "pitwatch.casino.example"
    assert ingress["spec"] == {
        "ingressClassName": "nginx",
        "tls": [{"secretName": "pitwatch-tls", "hosts": [host]}],
        "rules": [{"host": host, "http": {"paths": [path]}}],
    }
    (bare,) = chart.render("bare").all("Ingress")
    assert list(bare["spec"]) == ["rules"]


def test_one_historian_is_gone_before_the_next_comes(chart: Chart) -> None:
    historian = chart.render("least").one("Deployment", "historian")
    assert historian["metadata"]["labels"] == labels("historian")
    assert historian["spec"]["replicas"] == 1
    assert historian["spec"]["strategy"] == {"type": "Recreate"}


def test_a_historian_is_told_where_kafka_and_the_database_are(chart: Chart) -> None:
    historian = chart.render("least").container("Deployment", "historian")
    assert historian["name"] == "historian"
    assert historian["args"] == [
        "historian",
        f"--bootstrap={KAFKA}",
        "--topic-prefix=pitwatch.",
        "--host=0.0.0.0",
        "--insecure-listen",
        "--keep=0",
    ]
    assert historian["env"] == [POD_NAME, CACHE, DATABASE]
    assert historian["ports"] == [{"name": "health", "containerPort": 7304}]
    assert historian["volumeMounts"] == [TMP, DATA]
    volumes = chart.render("least").pod("Deployment", "historian")["volumes"]
    assert volumes == [TMP_VOLUME, DATA_VOLUME]
    assert historian["resources"] == {
        "requests": {"cpu": "100m", "memory": "128Mi"},
        "limits": {"memory": "512Mi"},
    }
    assert probes(historian) == {
        "startupProbe": ("/healthz", "health", 5, 60, 3),
        "livenessProbe": ("/healthz", "health", 10, 6, 5),
        "readinessProbe": ("/readyz", "health", 5, 3, 3),
    }
    args = chart.render("inventory").container("Deployment", "historian")["args"]
    assert "--keep=3650" in args
    assert "--topic-prefix=casino." in args
    assert "--host=::" in chart.render("bare").container("Deployment", "historian")["args"]
    secured = chart.render("secured").container("Deployment", "historian")
    assert secured["env"] == [POD_NAME, CACHE, *KAFKA_ACCESS, DATABASE]


def test_a_historian_has_a_name_for_metrics(chart: Chart) -> None:
    service = chart.render("least").one("Service", "historian")
    assert service["metadata"]["labels"] == {**labels("historian"), "pitwatch/metrics": "health"}
    assert service["spec"] == {
        "clusterIP": "None",
        "publishNotReadyAddresses": True,
        "selector": selector("historian"),
        "ports": [port("health", 7304)],
    }


def test_helm_test_posts_a_round_and_waits_for_it(chart: Chart) -> None:
    pod = chart.render("least").one("Pod", "trial")
    assert pod["metadata"]["labels"] == labels("trial")
    annotations = pod["metadata"]["annotations"]
    assert annotations["helm.sh/hook"] == "test"
    assert annotations["helm.sh/hook-delete-policy"] == "before-hook-creation"
    assert pod["spec"]["restartPolicy"] == "Never"
    (container,) = pod["spec"]["containers"]
    assert container["name"] == "trial"
    assert container["args"] == [
        "doctor",
        "--format=json",
        f"--trial=http://{FULL}-gateway-0:7301",
    ]
    assert container["env"] == [DATABASE]
    assert container["volumeMounts"] == [TMP, DATA]
    assert pod["spec"]["volumes"] == [TMP_VOLUME, DATA_VOLUME]
    assert container["resources"] == {
        "requests": {"cpu": "50m", "memory": "128Mi"},
        "limits": {"memory": "512Mi"},
    }


def test_helm_test_is_a_device_with_a_token_that_knows_its_gateway(chart: Chart) -> None:
    spec = chart.render("secured").one("Pod", "trial")["spec"]
    (container,) = spec["containers"]
    assert container["args"][2:] == [
        f"--trial=https://{FULL}-gateway-0:7301",
        "--gateway-ca=/etc/pitwatch/gateway-ca/ca.crt",
        "--token-file=/etc/pitwatch/device-token/token",
    ]
    mounts = [secret_mount("device-token"), secret_mount("gateway-ca")]
    assert container["volumeMounts"] == [TMP, DATA, KAFKA_FILES, *mounts]
    volumes = [secret_volume("device-token", "trial-device"), GATEWAY_CA_VOLUME]
    assert spec["volumes"] == [TMP_VOLUME, DATA_VOLUME, KAFKA_VOLUME, *volumes]
