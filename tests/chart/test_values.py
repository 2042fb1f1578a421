"""Values that cannot work are refused, with the key, what was found and what is allowed."""

from tests.chart.documents import keys_of, load_schema
from tests.chart.rendering import Chart


def test_a_key_that_is_unknown_is_refused_with_those_that_are_known(chart: Chart) -> None:
    for given, place, known in (
        ("replicas=3", "''", "fullnameOverride"),
        ("worker.replica=3", "/worker", "replicas"),
        ("gateway.spool.size=1Gi", "/gateway/spool", "volumeSize"),
        ("console.ingress.hosts=a", "/console/ingress", "host"),
    ):
        said = chart.refusal(given)
        key = given.partition("=")[0].rpartition(".")[2]
        assert place in said
        assert f"'{key}'" in said
        assert f"'{known}'" in said


def test_what_must_be_said_is_named(chart: Chart) -> None:
    for key in ("kafka.bootstrapServers", "database.existingSecret"):
        said = chart.refusal(f"{key}=")
        assert f"/{key.replace('.', '/')}" in said
        assert "does not match pattern" in said


def test_no_more_workers_than_partitions(chart: Chart) -> None:
    said = chart.refusal("worker.replicas=25")
    assert "/worker/replicas" in said
    assert "maximum: got 25, want 24" in said
    said = chart.refusal("worker.replicas=7", case="inventory")
    assert "maximum: got 7, want 6" in said
    for partitions in (1, 3, 6, 12, 24, 48, 96):
        allowed = f"topics.partitions={partitions}"
        assert chart.render("least", allowed, f"worker.replicas={partitions}").objects
        assert chart.refusal(allowed, f"worker.replicas={partitions + 1}")


def test_a_value_that_is_none_of_the_allowed_is_refused_with_them(chart: Chart) -> None:
    said = chart.refusal("gateway.service.type=ExternalName")
    assert "/gateway/service/type" in said
    assert "'ClusterIP', 'NodePort', 'LoadBalancer'" in said
    said = chart.refusal("topics.partitions=5")
    assert "value must be one of 1, 3, 6, 12, 24, 48, 96" in said
    said = chart.refusal("worker.replicas=three")
    assert "/worker/replicas" in said
    assert "got string, want integer" in said
    assert "minimum: got 0, want 1" in chart.refusal("gateway.instances=0")


def test_an_ingress_has_a_host(chart: Chart) -> None:
    assert "/console/ingress/host" in chart.refusal("console.ingress.enabled=true")


def test_replicas_that_lose_deals_are_refused_unless_it_is_a_trial(chart: Chart) -> None:
    said = chart.refusal("topics.replication=1", "topics.inSync=1")
    assert "expected a replication of at least 3 and an inSync of at least 2, found 1 and 1" in said
    assert chart.refusal("topics.inSync=1")
    said = chart.refusal("topics.inSync=4")
    assert "topics.inSync: expected at most topics.replication (3), found 4" in said


def test_a_floor_in_use_is_secured(chart: Chart) -> None:
    said = chart.refusal("kafka.plaintext=false")
    assert "kafka.existingSecret: expected a Secret with the keys user, password and ca.crt" in said
    parts = ("gateway", "worker", "console", "historian", "topics")
    own = [f"kafka.secrets.{part}={part}" for part in parts]
    assert chart.render("least", "kafka.plaintext=false", *own).objects
    assert chart.refusal("kafka.plaintext=false", *own[:-1])
    said = chart.refusal("gateway.insecure=false")
    assert "gateway.tls.existingSecret, gateway.deviceTokens.existingSecret: expected Sec" in said
    for half in ("tls", "deviceTokens"):
        assert chart.refusal("gateway.insecure=false", f"gateway.{half}.existingSecret=a")


def test_records_are_signed_unless_it_is_a_trial(chart: Chart) -> None:
    said = chart.refusal("worker.unsigned=false")
    assert "gateway.signingKeys.existingSecret, worker.gatewayKeys.existingSecret: expected" in said
    assert "worker.unsigned: true allows it for a trial" in said
    for half in ("gateway.signingKeys", "worker.gatewayKeys"):
        assert chart.refusal(f"{half}.existingSecret=", case="secured")
    said = chart.refusal("floor=", case="secured")
    assert "floor: expected the text of floor.toml, found none" in said
    said = chart.refusal("gateway.instances=2", case="secured")
    assert "floor: expected a gateway with the name floor-pitwatch-gateway-1" in said
    assert "found floor-pitwatch-gateway-0" in said
    said = chart.refusal("floor=pits = [", case="secured")
    assert "floor: expected the text of floor.toml, found what is no TOML: toml: line 1" in said
    said = chart.refusal("floor=pits = []", case="secured")
    assert "the name floor-pitwatch-gateway-0, as its pod has, found none" in said


def test_signatures_are_not_asked_for_where_that_is_said(chart: Chart) -> None:
    for case, more in (("secured", ("worker.unsigned=true",)), ("least", ())):
        rendered = chart.render(case, *more)
        worker = rendered.container("StatefulSet", "worker")
        assert not [each for each in worker["args"] if "gateway-keys" in each]
        assert "gateway-keys" not in {each["name"] for each in worker["volumeMounts"]}
        volumes = rendered.pod("StatefulSet", "worker")["volumes"]
        assert "gateway-keys" not in {each["name"] for each in volumes}
    gateway = chart.render("secured", "worker.unsigned=true").container("StatefulSet", "gateway")
    assert "--signing-key-file=/etc/pitwatch/signing-keys/$(POD_NAME)" in gateway["args"]


def test_a_spool_leaves_its_volume_some_room(chart: Chart) -> None:
    said = chart.refusal("gateway.spool.mebibytes=6600")
    assert "gateway.spool.mebibytes: expected at most four fifths of" in said
    assert "(8Gi), found 6600" in said
    for size in ("8250Mi", "9Gi", "1Ti"):
        given = (f"gateway.spool.volumeSize={size}", "gateway.spool.mebibytes=6600")
        assert chart.render("least", *given).objects


def test_every_key_says_what_it_is_and_what_it_is_where_nothing_is_said() -> None:
    for path, part in keys_of(load_schema()):
        assert part["description"].endswith("."), path
        assert part["description"][0].isupper() or part["description"][0] == "`", path
        assert ("default" in part) != ("properties" in part), path


def test_no_object_takes_unknown_keys_but_those_of_kubernetes() -> None:
    schema = load_schema()
    for path, part in (((), schema), *keys_of(schema)):
        if "properties" in part:
            assert part["additionalProperties"] is False, path
            assert part["propertyNames"] == {"enum": list(part["properties"])}, path


def test_each_value_is_used(chart: Chart) -> None:
    unused = {("global",)}
    text = "".join(path.read_text() for path in chart.folder.glob("templates/**/*.*"))
    for path, part in keys_of(load_schema()):
        if "properties" not in part and path not in unused:
            key = "probes" if "probes" in path else path[-1]
            assert f".{key}" in text, path
