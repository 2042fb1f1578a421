"""Images made from Debian's packages alone, where no image registry can be reached.

The packages come from where this machine's own apt has them, checked by apt as always: a mirror
inside an air-gapped site will do. mmdebstrap unpacks them (as root, or with user namespaces), and
the engine imports the result.
"""

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from deploy.images.engine import Engine, EngineFault

SUITE: Final = "bookworm"
"""Debian 12: its Python is 3.11, the version that the tests of faults run on."""

PYTHON_PACKAGES: Final = ("python3", "python3-venv", "ca-certificates", "tzdata")

PACKAGES_LABEL: Final = "pitwatch.debian.packages"


def debian_image(one: Engine, image: str, packages: Sequence[str], *, anew: bool = False) -> None:
    """Make an image of Debian with some packages, unless there is one of the same packages.

    Args:
        one: the engine that gets it.
        image: its name.
        packages: what it has besides Debian's essential packages.
        anew: make it with the packages of today, whatever there is.

    Raises:
        EngineFault: it cannot be made here.
    """
    labels = {PACKAGES_LABEL: ",".join(packages)}
    if not anew and one.has(image, labels):
        return
    program = shutil.which("mmdebstrap")
    if program is None:
        raise EngineFault(
            "expected the program mmdebstrap, which makes an image of Debian's packages, found "
            "none; install it, or name a base image with --base"
        )
    changes = [f"--change=LABEL {name}={value}" for name, value in labels.items()]
    with subprocess.Popen(  # noqa: S603  the command is our own
        [
            *(program, "--quiet", "--variant=essential", "--format=tar"),
            f"--include={','.join(packages)}",
            # What nobody reads in a container; licences stay.
            *(f"--dpkgopt=path-exclude=/usr/share/{each}/*" for each in ("man", "info", "locale")),
            "--dpkgopt=path-exclude=/usr/share/doc/*",
            "--dpkgopt=path-include=/usr/share/doc/*/copyright",
            *(SUITE, "-", *sources()),
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as making:
        one.run("import", *changes, "-", image, stdin=making.stdout)
        said = making.stderr.read() if making.stderr else b""
    if making.returncode != 0:
        one.run("image", "rm", image)
        raise EngineFault(
            f"expected mmdebstrap to make {image}, found status {making.returncode}:\n"
            f"{said.decode(errors='replace')}"
        )


def sources() -> list[str]:
    """Return where this machine's apt has Debian 12 from, as lines of a sources.list.

    Raises:
        EngineFault: this machine's apt knows no Debian 12.
    """
    program = shutil.which("apt-get")
    listed = ""
    if program is not None:
        listed = subprocess.run(  # noqa: S603  the command is our own
            [
                *(program, "indextargets", "--format", "$(REPO_URI) $(RELEASE) $(COMPONENT)"),
                *("Created-By: Packages", "Origin: Debian"),
            ],
            capture_output=True,
            text=True,
            check=False,
        ).stdout
    keyring = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
    signed = f"[signed-by={keyring}] " if keyring.exists() else ""
    found = {
        f"deb {signed}{uri} {release} {component}"
        for uri, release, component in (line.split() for line in listed.splitlines())
        if release.partition("-")[0] == SUITE
    }
    if not found:
        raise EngineFault(
            f"expected apt on this machine to have Debian {SUITE}, found that it has not; run "
            "`apt-get update` on Debian 12, or name a base image with --base"
        )
    return sorted(found)
