"""Tools from outside that a test needs: absent they skip it, unless the run requires them.

``PITWATCH_REQUIRE=prometheus,unshare`` names the tools whose absence is a failure, so that a run
that promises to skip nothing cannot skip.
"""

import os
import shutil
from typing import Final

import pytest

VARIABLE: Final = "PITWATCH_REQUIRE"


def required(tool: str) -> bool:
    """Return whether this run requires the tool."""
    return tool in {name.strip() for name in os.environ.get(VARIABLE, "").split(",")}


def absent(tool: str, why: str) -> None:
    """Skip the running test for want of a tool, or fail it where the run requires the tool."""
    if required(tool):
        pytest.fail(f"{why}, and {VARIABLE} names {tool}", pytrace=False)
    pytest.skip(f"{why}; {VARIABLE}={tool} makes this a failure")


def require(tool: str) -> str:
    """Return the path of a program; without it the running test is skipped or fails."""
    path = shutil.which(tool)
    if path is None:
        absent(tool, f"the program {tool} is not installed")
        raise AssertionError  # absent always raises; this tells the type checker
    return path
