"""The list of what an image is made of names every jar with the digest that it is held to."""

from deploy.images.bill import of_image
from deploy.local.lock import lock_path, read_lock

PYTHON = {
    "bomFormat": "CycloneDX",
    "specVersion": "1.6",
    "metadata": {"tools": {}},
    "components": [
        {"type": "library", "bom-ref": "a", "name": "a", "version": "1", "purl": "pkg:pypi/a@1"}
    ],
}
LOCK = read_lock(lock_path())


def test_an_image_without_jars_lists_its_packages() -> None:
    listed = of_image(PYTHON, "pitwatch:1.2", "Pitwatch")
    assert listed["components"] == PYTHON["components"]
    assert listed["metadata"]["component"]["purl"] == "pkg:oci/pitwatch?tag=1.2"
    assert listed["metadata"]["tools"] == {}
    assert listed["dependencies"] == [
        {"ref": "pkg:oci/pitwatch?tag=1.2", "dependsOn": ["a"]},
        {"ref": "a"},
    ]


def test_every_jar_of_the_lock_is_listed_with_its_digest() -> None:
    listed = of_image(PYTHON, "pitwatch-kafka:1.2", "Kafka", LOCK)["components"][1:]
    assert len(listed) == len(LOCK.jars)
    assert len({each["bom-ref"] for each in listed}) == len(listed)
    assert {each["hashes"][0]["content"] for each in listed} == {jar.sha256 for jar in LOCK.jars}
    (kafka,) = (each for each in listed if each["name"] == "kafka_2.13")
    assert kafka["purl"] == f"pkg:maven/org.apache.kafka/kafka_2.13@{kafka['version']}"
