"""The folder of wheels that images are made of: all that Pitwatch needs to run, and itself."""

import hashlib
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from deploy.images.engine import EngineFault

ROOT: Final = Path(__file__).resolve().parents[2]
"""The checkout: images are made from one."""

REQUIREMENTS: Final = ROOT / "requirements" / "run.txt"

PYTHON: Final = "3.11"
"""The version in the images; wheels are of one version."""

STAMP: Final = ".fetched"

OWN: Final = "own"


def fetch_wheels(folder: Path) -> None:
    """Fetch what `requirements/run.txt` lists into a folder; each is compared with its digest.

    A folder that has what the file lists is left as it is, and nothing is connected to.

    Raises:
        EngineFault: pip could not fetch it.
    """
    digest = hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()
    stamp = folder / STAMP
    if stamp.exists() and stamp.read_text() == digest:
        return
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pip(
        *("download", "--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:"),
        *("--python-version", PYTHON, "--dest", str(folder), "--requirement", str(REQUIREMENTS)),
    )
    shutil.copyfile(REQUIREMENTS, folder / REQUIREMENTS.name)
    stamp.write_text(digest)


def build_own_wheel(folder: Path) -> None:
    """Build Pitwatch's own wheel into `own` in the folder, in place of the one that is there.

    Raises:
        EngineFault: pip could not build it.
    """
    shutil.rmtree(folder / OWN, ignore_errors=True)
    pip(
        *("wheel", "--quiet", "--no-deps", "--no-build-isolation"),
        *("--wheel-dir", str(folder / OWN), str(ROOT)),
    )


def pip(*arguments: str) -> None:
    """Run this environment's pip.

    Raises:
        EngineFault: it failed.
    """
    done = subprocess.run(  # noqa: S603  the command is our own
        [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise EngineFault(
            f"expected `pip {arguments[0]}` to succeed, found status {done.returncode}:\n"
            f"{done.stdout}{done.stderr}"
        )
