"""Run a program where the loopback address is the only network there is.

    python loopback_only.py PROGRAM ARGUMENT...

The program gets a network namespace of its own (unshare(2)) with nothing but a loopback device, so
that a connection to anywhere else fails at once. Status 125 says that the system allows none.
"""

import ctypes
import fcntl
import os
import socket
import struct
import subprocess
import sys
from pathlib import Path
from typing import Final

CLONE_NEWUSER: Final = 0x10000000
CLONE_NEWNET: Final = 0x40000000
"""From linux/sched.h."""

SIOCSIFFLAGS: Final = 0x8914
IFF_UP_RUNNING: Final = 0x41
"""From linux/sockios.h and linux/if.h."""

NOT_ALLOWED: Final = 125


def loopback_only() -> list[str]:
    """Return what is to be put before a program; where it is not allowed the test is skipped."""
    from tests.require import absent  # noqa: PLC0415  the program itself has no need of pytest

    prefix = [sys.executable, str(Path(__file__))]
    tried = subprocess.run([*prefix, sys.executable, "-c", ""], check=False, capture_output=True)
    if tried.returncode == NOT_ALLOWED:
        absent("unshare", "this system allows no network namespace")
    return prefix


def main(arguments: list[str]) -> None:
    """Become the program, on a network of its own."""
    # Only an administrator may make a network; anyone else becomes one of a world of their own.
    flags = CLONE_NEWNET if os.geteuid() == 0 else CLONE_NEWNET | CLONE_NEWUSER
    if ctypes.CDLL(None, use_errno=True).unshare(flags) != 0:
        sys.stderr.write(f"unshare: {os.strerror(ctypes.get_errno())}\n")
        sys.exit(NOT_ALLOWED)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP_RUNNING))
    os.execvp(arguments[0], arguments)  # noqa: S606  becoming the program is the purpose


if __name__ == "__main__":
    main(sys.argv[1:])
