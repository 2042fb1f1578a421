"""What the images are made of, as CycloneDX lists: of `make sbom`.

    python -m deploy.images.bill PYTHON FOLDER

PYTHON is the list of the Python packages, which cyclonedx-py makes of the pinned requirements; the
folder gets one list for each image, that of `pitwatch-kafka` with Kafka's jars as the lock has
them. What the base image brings is in neither: it is the base's own to list.
"""

import json
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import click

from deploy.images.build import TITLES, named
from deploy.local.lock import Jar, Lock, lock_path, read_lock

SUFFIX: Final = ".cdx.json"


def jar_component(jar: Jar) -> dict[str, Any]:
    """Return a jar as a list names it, with the digest that it is held to."""
    purl = f"pkg:maven/{quote(jar.group)}/{quote(jar.artifact)}@{quote(jar.version)}"
    return {
        "type": "library",
        "bom-ref": purl,
        "group": jar.group,
        "name": jar.artifact,
        "version": jar.version,
        "purl": purl,
        "hashes": [{"alg": "SHA-256", "content": jar.sha256}],
    }


def of_image(
    python: Mapping[str, Any], image: str, title: str, lock: Lock | None = None
) -> dict[str, Any]:
    """Return the list of an image.

    Args:
        python: the list of its Python packages.
        image: its name and version, ``NAME:VERSION``.
        title: what it says it is.
        lock: the jars that are in it.
    """
    name, _, version = image.partition(":")
    purl = f"pkg:oci/{quote(name)}?tag={quote(version)}"
    component = {
        "type": "container",
        "bom-ref": purl,
        "name": name,
        "version": version,
        "description": title,
        "purl": purl,
    }
    jars = [jar_component(jar) for jar in lock.jars] if lock else []
    refs = [each["bom-ref"] for each in (*python["components"], *jars)]
    return {
        **python,
        "metadata": {**python.get("metadata", {}), "component": component},
        "components": [*python["components"], *jars],
        "dependencies": [{"ref": purl, "dependsOn": refs}, *({"ref": ref} for ref in refs)],
    }


@click.command()
@click.argument("python", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
def main(python: Path, folder: Path) -> None:
    """Write the list of each image into a folder."""
    listed = json.loads(python.read_text(encoding="utf-8"))
    images = named(metadata.version("pitwatch"))
    folder.mkdir(parents=True, exist_ok=True)
    jars = (None, read_lock(lock_path()))
    for image, title, lock in zip((images.pitwatch, images.kafka), TITLES, jars, strict=True):
        whole = of_image(listed, image, title, lock)
        file = folder / f"{image.partition(':')[0]}{SUFFIX}"
        file.write_text(f"{json.dumps(whole, indent=1)}\n", encoding="utf-8")
        click.echo(f"{file}: {len(whole['components'])} components", err=True)


if __name__ == "__main__":
    main()
