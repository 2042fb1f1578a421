"""Start a child process that cannot outlive the process that started it.

Linux kills a child for us when its parent dies (prctl(2), PR_SET_PDEATHSIG), kill -9 included; the
child has to ask for it before it becomes its program. This file is that step: run as a program by
path, without site packages, it asks and then becomes the program named by its arguments. The
kernel means the parent *thread*: start children from a thread that lives as long as they should.
On other systems the children are ended by their parent's own shutdown only.

    python -I -S leash.py PARENT_PID PROGRAM ARGUMENT...
"""

import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

PR_SET_PDEATHSIG: Final = 1
"""From linux/prctl.h."""


def spawn(
    arguments: Sequence[str | Path],
    *,
    output: int | IO[bytes],
    environment: Mapping[str, str] | None = None,
    folder: Path | None = None,
) -> "subprocess.Popen[bytes]":
    """Start a program that dies with this process.

    Args:
        arguments: the program and its arguments.
        output: where its stdout and stderr go, as subprocess takes it.
        environment: its environment; this process's where none is given.
        folder: its working folder; this process's where none is given.

    Returns:
        The child, in a process group of its own: a Ctrl-C at the terminal reaches the parent
        alone, which ends its children in order.
    """
    leashed = [sys.executable, "-I", "-S", __file__, str(os.getpid()), *map(str, arguments)]
    return subprocess.Popen(  # noqa: S603  the program is one of our own
        leashed,
        stdin=subprocess.DEVNULL,
        stdout=output,
        stderr=subprocess.STDOUT,
        env=environment,
        cwd=folder,
        process_group=0,
    )


def main(parent: int, arguments: Sequence[str]) -> None:
    """Tie this process to `parent` and become the program."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        # A parent that died before the call above sends no signal any more.
        if os.getppid() != parent:
            sys.exit("the parent died before its child started")
    os.execv(arguments[0], list(arguments))  # noqa: S606  becoming the program is the purpose


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
