"""A floor on a cluster, from `helm install` to `helm uninstall`, by the commands of the README.

Each test goes on from the one before; `make cluster-test` ends with the first that fails.

| step | holds |
|---|---|
| install | all is ready, and the first finding comes through a gateway's own address |
| `helm test` | the chart's own test sees a round |
| upgrade under load | nothing is lost, and workers are new before any gateway is |
| roll back under load | nothing is lost |
| Kafka away, a gateway killed after its 202 | the event is on the topic, once, when both are back |
| fewer gateways meanwhile | upgrade and rollback are refused while one that would leave holds it |
| a worker killed under load | nothing is lost |
| more workers under load | each has a share, and nothing is lost |
| uninstall | the gateways' volumes stay |
"""

import json
from collections import Counter
from collections.abc import Callable
from shlex import quote
from typing import Final

import pytest
import yaml

from tests.cluster.cluster import Cluster, CommandFailed, Gateway, Pod, until
from tests.cluster.devices import GATEWAYS, Devices, identity
from tests.cluster.images import NEXT, VERSION
from tests.cluster.readme import README, read
from tests.cluster.site import Site
from tests.cluster.topics import Topics
from tests.gateway_harness import line

pytestmark = [pytest.mark.cluster, pytest.mark.timeout(900)]

WORKERS: Final = 2
MORE_WORKERS: Final = 3

EXAMPLE: Final = "kafka.example:9092"
"""Kafka's address in the README's values, the one thing that its reader has to change."""

SMALL: Final = {"requests": {"cpu": "50m", "memory": "256Mi"}, "limits": {"memory": "1Gi"}}
"""So that three workers and a roll of all fit on a node of two cores."""

FEWER_GATEWAYS: Final = """
helm upgrade pitwatch helm/pitwatch -n pitwatch -f values.yaml --wait --timeout 2m \\
    --set gateway.instances=1
"""

Reader = Callable[..., str]


@pytest.fixture(scope="module")
def reader(cluster: Cluster, site: Site) -> Reader:
    """A function `(heading, **variables)` that types what the README has under a heading."""
    readme = read(README.read_text(encoding="utf-8"))
    text = readme.values["Install"].replace(EXAMPLE, site.bootstrap)
    assert text != readme.values["Install"], f"expected {EXAMPLE} in the README's values"
    values = yaml.safe_load(text)
    values["worker"]["resources"] = SMALL
    (cluster.folder / "values.yaml").write_text(yaml.safe_dump(values), encoding="utf-8")

    def types(heading: str, **variables: str) -> str:
        given = "".join(f"export {name}={quote(value)}\n" for name, value in variables.items())
        return cluster.shell(given + readme.commands[heading])

    return types


@pytest.fixture(scope="module")
def devices(cluster: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Devices:
    """The devices of all tables."""
    return Devices(cluster, tmp_path_factory.mktemp("sent"))


@pytest.fixture(scope="module")
def topics(site: Site) -> Topics:
    """The floor's topics."""
    return Topics(site.bootstrap)


def test_install_brings_the_first_finding(reader: Reader, site: Site, topics: Topics) -> None:
    reader("Install", DATABASE_URL=site.database)
    assert "card_after_natural" in reader("First finding")
    assert topics.problems(topics.deals()) == []


def test_helm_test_passes(reader: Reader) -> None:
    assert "Succeeded" in reader("Test")


def test_upgrade_under_load_replaces_workers_first(
    reader: Reader, cluster: Cluster, devices: Devices, topics: Topics
) -> None:
    with devices.at_play():
        reader("Upgrade", VERSION=NEXT)
    workers, gateways = cluster.pods("worker"), cluster.pods("gateway")
    for pod in (*workers, *gateways):
        assert all(image.endswith(f":{NEXT}") for image in pod.images), pod
    newest = max(pod.ready_since for pod in workers)
    assert all(newest <= pod.started for pod in gateways), (workers, gateways)
    devices.assert_nothing_lost(topics)


def test_roll_back_under_load_loses_nothing(
    reader: Reader, cluster: Cluster, devices: Devices, topics: Topics
) -> None:
    with devices.at_play():
        reader("Roll back")
    for component in ("worker", "gateway"):
        for pod in cluster.pods(component):
            assert all(image.endswith(f":{VERSION}") for image in pod.images), pod
    devices.assert_nothing_lost(topics)


def test_what_a_killed_gateway_accepted_while_kafka_was_away_is_published_once(
    cluster: Cluster, site: Site, devices: Devices, topics: Topics
) -> None:
    gateway, other = cluster.gateway(0), cluster.gateway(1)
    first, second = (line(seq, table="AWAY-01") for seq in (1, 2))
    killed = cluster.pods("gateway")[0]
    site.take_kafka_away()
    assert accepts(gateway, first)
    assert accepts(other, line(1, table="AWAY-02"))
    cluster.kubectl("delete", "pod", killed.name, "--grace-period=0", "--force")
    until("another pod in its place", lambda: replaced(cluster, killed))
    until("it to take events without Kafka", lambda: accepts(gateway, second))
    assert gateway.spooled() == 2
    with pytest.raises(CommandFailed, match="pre-upgrade"):
        cluster.shell(FEWER_GATEWAYS)
    refuses_to_roll_back(cluster)
    site.bring_kafka_back()
    until("the spools to be empty", lambda: not (gateway.spooled() or other.spooled()))
    counted = Counter(identity(event) for event in topics.deals() if "AWAY" in event.table)
    assert counted == {f"AWAY-0{at}/gw-1/shoe/1/1": 1 for at in (1, 2)} | {
        "AWAY-01/gw-1/shoe/1/2": 1
    }
    until("the workers to be back", lambda: cluster.all_ready("worker", WORKERS))
    devices.assert_nothing_lost(topics)


def test_a_killed_worker_loses_nothing(cluster: Cluster, devices: Devices, topics: Topics) -> None:
    killed = cluster.pods("worker")[0]
    with devices.at_play():
        cluster.kubectl("delete", "pod", killed.name, "--grace-period=0", "--force")
        until("another pod in its place", lambda: replaced(cluster, killed))
        until("all workers to be ready", lambda: cluster.all_ready("worker", WORKERS))
    devices.assert_nothing_lost(topics)


def test_more_workers_share_the_tables(
    reader: Reader, cluster: Cluster, devices: Devices, topics: Topics
) -> None:
    with devices.at_play():
        reader("Add workers", WORKERS=str(MORE_WORKERS))
        until("all workers to be ready", lambda: cluster.all_ready("worker", MORE_WORKERS))
        until("all to have joined", lambda: topics.workers() == MORE_WORKERS)
    devices.assert_nothing_lost(topics)


def test_uninstall_keeps_the_volumes(reader: Reader, cluster: Cluster) -> None:
    before = claims(cluster)
    assert len([name for name in before if "gateway" in name]) == GATEWAYS
    reader("Uninstall")
    until("the pods to be gone", lambda: not (cluster.pods("gateway") or cluster.pods("worker")))
    assert claims(cluster) == before


def refuses_to_roll_back(cluster: Cluster) -> None:
    """Roll back to the newest revision, one with fewer gateways, and find it refused.

    What Helm keeps of it is removed as the README says: it takes it for one that is under way.
    """
    fewer = revisions(cluster)[-1]
    with pytest.raises(CommandFailed, match="BackoffLimitExceeded"):
        cluster.shell(f"helm rollback pitwatch {fewer} -n pitwatch --wait --timeout 2m")
    refused = revisions(cluster)[-1]
    assert refused == fewer + 1
    cluster.kubectl("delete", "secret", f"sh.helm.release.v1.pitwatch.v{refused}")


def revisions(cluster: Cluster) -> list[int]:
    """Return the release's revisions, the newest last."""
    said = cluster.run(["helm", "history", "pitwatch", "-n", cluster.namespace, "-o", "json"])
    return [each["revision"] for each in json.loads(said)]


def replaced(cluster: Cluster, gone: Pod) -> bool:
    """Say whether another pod has a pod's name, and is ready."""
    found = [*cluster.pods("worker"), *cluster.pods("gateway")]
    return any(pod.ready for pod in found if pod.name == gone.name and pod.uid != gone.uid)


def accepts(gateway: Gateway, body: bytes) -> bool:
    """Post lines; say whether they were accepted."""
    answer = gateway.post(body)
    return answer is not None and answer.status_code == 202


def claims(cluster: Cluster) -> dict[str, str]:
    """Return the volume of each claim."""
    found = cluster.get("persistentvolumeclaims")["items"]
    return {each["metadata"]["name"]: each["spec"]["volumeName"] for each in found}
