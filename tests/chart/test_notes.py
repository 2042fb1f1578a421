"""What Helm says after an install: where devices post, how to look, what is for a trial."""

from tests.chart.cluster_answers import cluster
from tests.chart.rendering import FULL, NAMESPACE, RELEASE, Chart

NO_RELEASES = {
    f"/api/v1/namespaces/{NAMESPACE}/secrets": {
        "apiVersion": "v1",
        "kind": "SecretList",
        "metadata": {},
        "items": [],
    }
}
"""Where Helm keeps what it has installed: nothing yet."""


def notes(chart: Chart, case: str) -> str:
    """Return what Helm says when it has installed a case."""
    with cluster(NO_RELEASES) as address:
        said = chart.helm(
            "install",
            RELEASE,
            str(chart.folder),
            *chart.values(case),
            "--dry-run=server",
            "--disable-openapi-validation",
            f"--kube-apiserver={address}",
            env={"KUBECONFIG": "/dev/null"},
        )
    return said.partition("\nNOTES:\n")[2]


def test_notes_say_where_devices_post_and_what_is_for_a_trial(chart: Chart) -> None:
    said = notes(chart, "trial")
    assert "in casino: 2 workers, 2 gateways, 1 consoles and a historian" in said
    for number in range(2):
        assert f"http://{FULL}-gateway-{number}.casino.svc:7301/v1/events" in said
    assert f"statefulset/{FULL}-worker" in said
    assert f"statefulset/{FULL}-gateway" in said
    assert f"helm test {RELEASE} -n casino" in said
    assert f"exec deploy/{FULL}-console -- pitwatch users add" in said
    assert f"port-forward service/{FULL}-console 7303:7303" in said
    for trial in ("kafka.plaintext", "gateway.insecure", "worker.unsigned", "topics.single"):
        assert trial in said
    assert "commandKey.existingSecret" not in said


def test_notes_of_a_secured_floor_warn_of_nothing(chart: Chart) -> None:
    said = notes(chart, "secured")
    assert f"https://{FULL}-gateway-0.casino.svc:7301/v1/events" in said
    assert "trial" not in said
    assert "existingSecret" not in said


def test_notes_name_the_page_and_what_it_cannot_do(chart: Chart) -> None:
    said = notes(chart, "exposed")
    assert "https://pitwatch.casino.example/" in said
    assert "http://pit-gateway-2.floor.casino.example:7301/v1/events" in said
    assert "port-forward" not in said
    assert "No act can be asked for on the page: commandKey.existingSecret is not set" in said
