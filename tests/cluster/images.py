"""The images of a cluster's test, in one archive: `python -m tests.cluster.images` makes it.

It is made where packages are reached, and loaded where the cluster is, which may be elsewhere.
"""

import sys
from importlib import metadata
from typing import Final

from deploy.images.build import BUILD, build, named
from deploy.images.engine import engine
from tests.container.services import service_image

ARCHIVE: Final = BUILD / "images" / "cluster.tar"

VERSION: Final = metadata.version("pitwatch")
NEXT: Final = f"{VERSION}-next"
"""The tag that the upgrade goes to: the same program, so that the roll alone is tried here."""

PITWATCH: Final = named(VERSION).pitwatch
KAFKA: Final = named(VERSION).kafka
POSTGRESQL: Final = f"pitwatch-test-postgresql:{VERSION}"


def main() -> None:
    """Build the images and save them in one archive."""
    with engine() as one:
        build(one)
        following = PITWATCH.replace(VERSION, NEXT)
        one.run("tag", PITWATCH, following)
        one.run("tag", service_image(one, "postgresql"), POSTGRESQL)
        ARCHIVE.parent.mkdir(parents=True, exist_ok=True)
        one.run("save", "--output", ARCHIVE, PITWATCH, following, KAFKA, POSTGRESQL)
    sys.stdout.write(f"{ARCHIVE}\n")


if __name__ == "__main__":
    main()
