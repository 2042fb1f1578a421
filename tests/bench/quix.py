"""The environment in which Quix Streams runs beside us: made here, and of no other use.

It is made once, from `requirements/quix.txt`, pinned and hashed, and again when that file changes.
"""

import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import Final

PINS: Final = Path("requirements") / "quix.txt"
ENVIRONMENT: Final = Path("build") / "quix-venv"
SECONDS: Final = 600.0


class NotInstalled(Exception):
    """Quix Streams could not be installed; says why."""


def quix_python(environment: Path = ENVIRONMENT, pins: Path = PINS) -> Path:
    """Return the Python that has Quix Streams, after installing it where it is not.

    Raises:
        NotInstalled: pip could not.
    """
    python = environment.resolve() / "bin" / "python"
    stamp = environment / "installed"
    wanted = sha256(pins.read_bytes()).hexdigest()
    if stamp.exists() and stamp.read_text() == wanted:
        return python
    environment.parent.mkdir(exist_ok=True)
    run(sys.executable, "-m", "venv", "--clear", environment)
    install = ("-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(python, *install, "--require-hashes", "-r", pins)
    stamp.write_text(wanted)
    return python


def run(*command: str | Path) -> None:
    """Run a command that may fail for want of a network."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise NotInstalled(f"Quix Streams was not installed within {SECONDS:.0f} s") from None
    if done.returncode != 0:
        last = (done.stderr.strip() or "no message").splitlines()[-1]
        raise NotInstalled(f"Quix Streams could not be installed: {last}")
