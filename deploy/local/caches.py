"""Where Pitwatch keeps what it fetched once: a folder per user, never the checkout."""

import os
from pathlib import Path


def cache_folder() -> Path:
    """Return the user's cache folder of Pitwatch; it need not exist yet.

    ``PITWATCH_CACHE`` names it; else it is ``pitwatch`` under ``XDG_CACHE_HOME``, which is
    ``~/.cache`` where it is unset or relative (XDG Base Directory Specification 0.8).
    """
    own = os.environ.get("PITWATCH_CACHE")
    if own:
        return Path(own).expanduser().absolute()
    base = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (base if base.is_absolute() else Path.home() / ".cache") / "pitwatch"
