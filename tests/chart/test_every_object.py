"""What holds of every object, with every values file."""

from tests.chart.expected import labels, selector
from tests.chart.rendering import FULL, NAMESPACE, RELEASE, Chart

GRACE = {"worker": 90, "gateway": 60, "console": 30, "historian": 60}
"""Each part's seconds to stop in."""

APIS = {
    "ConfigMap": "v1",
    "Deployment": "apps/v1",
    "Ingress": "networking.k8s.io/v1",
    "Job": "batch/v1",
    "NetworkPolicy": "networking.k8s.io/v1",
    "Pod": "v1",
    "PodDisruptionBudget": "policy/v1",
    "PrometheusRule": "monitoring.coreos.com/v1",
    "Service": "v1",
    "ServiceAccount": "v1",
    "ServiceMonitor": "monitoring.coreos.com/v1",
    "StatefulSet": "apps/v1",
}
"""The API that has each kind."""

CONTAINER_SECURITY = {
    "allowPrivilegeEscalation": False,
    "readOnlyRootFilesystem": True,
    "capabilities": {"drop": ["ALL"]},
}
POD_SECURITY = {
    "runAsNonRoot": True,
    "runAsUser": 10001,
    "runAsGroup": 10001,
    "fsGroup": 10001,
    "fsGroupChangePolicy": "OnRootMismatch",
    "seccompProfile": {"type": "RuntimeDefault"},
}


def test_every_object_is_named_after_the_release_and_labelled(chart: Chart) -> None:
    for case in chart.cases:
        rendered = chart.render(case)
        added = {"cost-centre": "surveillance"} if case == "placed" else {}
        full = "pit" if case == "exposed" else FULL
        for each in rendered.all():
            assert each["apiVersion"] == APIS[each["kind"]]
            metadata = each["metadata"]
            assert metadata["name"].startswith(full), (case, metadata["name"])
            component = metadata["labels"]["app.kubernetes.io/component"]
            wanted = {**labels(component), **added}
            assert wanted.items() <= metadata["labels"].items(), (case, metadata)
            assert "namespace" not in metadata


def test_no_two_objects_of_a_kind_have_one_name(chart: Chart) -> None:
    for case in chart.cases:
        found = [(each["kind"], each["metadata"]["name"]) for each in chart.render(case).all()]
        assert len(found) == len(set(found)), case


def test_a_release_named_after_the_chart_has_no_name_twice(chart: Chart) -> None:
    rendered = chart.render("least", release="pitwatch-vegas")
    assert rendered.names("StatefulSet") == ["pitwatch-vegas-gateway", "pitwatch-vegas-worker"]


def test_the_longest_names_of_releases_leave_room_for_names_of_pods(chart: Chart) -> None:
    for release in (f"pitwatch-{'a' * 34}-{'b' * 9}", f"{'c' * 34}-{'d' * 18}"):
        names = [each["metadata"]["name"] for each in chart.render("least", release=release).all()]
        assert max(map(len, names)) <= 60
        assert not [name for name in names if "--" in name]


def test_every_pod_is_restricted_and_has_no_token(chart: Chart) -> None:
    for case in chart.cases:
        security = dict(POD_SECURITY)
        if case == "bare":
            for key in ("runAsUser", "runAsGroup", "fsGroup", "fsGroupChangePolicy"):
                del security[key]
        for each, pod in chart.render(case).workloads():
            spec = pod["spec"]
            assert spec["securityContext"] == security, (case, each["metadata"])
            assert spec["automountServiceAccountToken"] is False
            assert spec["enableServiceLinks"] is False
            containers = spec["containers"] + spec.get("initContainers", [])
            assert all(one["securityContext"] == CONTAINER_SECURITY for one in containers)


def test_every_pod_has_its_components_account(chart: Chart) -> None:
    rendered = chart.render("least")
    accounts = {each["metadata"]["name"]: each for each in rendered.all("ServiceAccount")}
    components = ["console", "gateway", "historian", "topics", "trial", "worker"]
    assert sorted(accounts) == [f"{FULL}-{each}" for each in components]
    for component in components:
        account = accounts[f"{FULL}-{component}"]
        assert account["automountServiceAccountToken"] is False
        assert account["metadata"]["labels"] == labels(component)
        assert ("annotations" in account["metadata"]) == (component == "topics")
    assert accounts[f"{FULL}-topics"]["metadata"]["annotations"] == {
        "helm.sh/hook": "pre-install,pre-upgrade,pre-rollback",
        "helm.sh/hook-weight": "-10",
        "helm.sh/hook-delete-policy": "before-hook-creation",
    }
    for each, pod in rendered.workloads():
        component = each["metadata"]["labels"]["app.kubernetes.io/component"]
        assert pod["spec"]["serviceAccountName"] == f"{FULL}-{component}"


def test_where_no_account_is_made_all_have_the_named_one(chart: Chart) -> None:
    rendered = chart.render("bare")
    assert rendered.all("ServiceAccount") == []
    for _, pod in rendered.workloads():
        assert pod["spec"]["serviceAccountName"] == "shared"
    for _, pod in chart.render("bare", "serviceAccounts.name=").workloads():
        assert pod["spec"]["serviceAccountName"] == "default"


def test_every_pod_is_of_the_one_image(chart: Chart) -> None:
    def images(case: str) -> set[tuple[str, str]]:
        return {
            (one["image"], one["imagePullPolicy"])
            for _, pod in chart.render(case).workloads()
            for one in pod["spec"]["containers"] + pod["spec"].get("initContainers", [])
        }

    digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
    assert images("least") == {("pitwatch:0.1.0", "IfNotPresent")}
    assert images("placed") == {(f"registry.casino.example/pitwatch@{digest}", "Always")}
    for _, pod in chart.render("placed").workloads():
        assert pod["spec"]["imagePullSecrets"] == [{"name": "registry"}]
    for _, pod in chart.render("least").workloads():
        assert "imagePullSecrets" not in pod["spec"]


def test_selectors_find_their_pods_and_no_others(chart: Chart) -> None:
    for case in chart.cases:
        for each, pod in chart.render(case).workloads():
            component = each["metadata"]["labels"]["app.kubernetes.io/component"]
            wanted = labels(component).items()
            assert wanted <= pod["metadata"]["labels"].items(), (case, each["metadata"])
            if each["kind"] in {"StatefulSet", "Deployment"}:
                assert each["spec"]["selector"] == {"matchLabels": selector(component)}


def test_pods_restart_when_their_files_change_and_others_do_not(chart: Chart) -> None:
    def sums(*more: str) -> dict[str, str]:
        return {
            each["metadata"]["name"].removeprefix(f"{FULL}-"): annotations["checksum/files"]
            for each, pod in chart.render("least", *more).workloads()
            if "checksum/files" in (annotations := pod["metadata"]["annotations"] or {})
        }

    before, floor, book = sums(), sums("floor=a"), sums("rulebook.toml=a")
    for found in (before, floor, book):
        assert set(found) == {"worker", "console"}
        assert found["worker"] == found["console"]
    assert len({each["worker"] for each in (before, floor, book)}) == 3


def test_pods_run_where_a_site_says_with_what_it_adds(chart: Chart) -> None:
    for component in GRACE:
        assert_placed(chart, component)


def assert_placed(chart: Chart, component: str) -> None:
    kind = "StatefulSet" if component in {"worker", "gateway"} else "Deployment"
    rendered = chart.render("placed")
    template = rendered.one(kind, component)["spec"]["template"]
    spec = template["spec"]
    (container,) = spec["containers"]
    assert template["metadata"]["labels"]["team"] == "floor"
    assert template["metadata"]["annotations"]["example.com/note"] == "watched"
    assert spec["terminationGracePeriodSeconds"] == 120
    assert spec["priorityClassName"] == "floor"
    assert spec["nodeSelector"] == {"kubernetes.io/arch": "amd64"}
    assert spec["tolerations"] == [{"key": "floor", "operator": "Exists"}]
    assert list(spec["affinity"]) == ["nodeAffinity"]
    assert spec["topologySpreadConstraints"] == [
        {
            "topologyKey": "example.com/rack",
            "maxSkew": 1,
            "whenUnsatisfiable": "DoNotSchedule",
            "labelSelector": {"matchLabels": selector(component)},
        }
    ]
    assert container["env"][-1] == {"name": "TZ", "value": "America/New_York"}
    assert {"name": "more", "emptyDir": {}} in spec["volumes"]
    assert {"name": "more", "mountPath": "/more"} in container["volumeMounts"]


def test_where_nothing_is_said_pods_are_spread_and_have_time(chart: Chart) -> None:
    for component, grace in GRACE.items():
        assert_unplaced(chart, component, grace)


def assert_unplaced(chart: Chart, component: str, grace: int) -> None:
    kind = "StatefulSet" if component in {"worker", "gateway"} else "Deployment"
    spec = chart.render("least").pod(kind, component)
    keys = [each["topologyKey"] for each in spec["topologySpreadConstraints"]]
    assert keys == ["kubernetes.io/hostname", "topology.kubernetes.io/zone"]
    assert {each["whenUnsatisfiable"] for each in spec["topologySpreadConstraints"]} == {
        "ScheduleAnyway"
    }
    assert spec["terminationGracePeriodSeconds"] == grace
    assert not {"priorityClassName", "nodeSelector", "tolerations", "affinity"} & set(spec)
    assert "topologySpreadConstraints" not in chart.render("bare").pod(kind, component)


def test_processes_are_told_of_files_by_a_config_map(chart: Chart) -> None:
    assert chart.render("least").one("ConfigMap", "files")["data"] == {"gateways": "1"}
    rendered = chart.render("inventory")
    files = rendered.one("ConfigMap", "files")
    assert files["metadata"]["labels"] == labels("files")
    assert files["data"] == {
        "gateways": "1",
        "floor.toml": '[[pits]]\nname = "main"\n\n[[pits.tables]]\nname = "CS-01"\n',
        "rulebook.toml": 'name = "house"\n',
    }


def test_the_namespace_is_the_releases(chart: Chart) -> None:
    args = chart.render("least").container("Deployment", "console")["args"]
    assert f"--gateway=http://{FULL}-gateway-0.{NAMESPACE}.svc:7301" in args
    assert RELEASE in FULL
