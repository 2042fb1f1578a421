"""What a test sees of fsync: which files and folders were made certain, in order."""

import os
from pathlib import Path

import pytest


def synced_files(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Return a list that each fsync adds its file or folder to."""
    synced: list[Path] = []
    real = os.fsync

    def noting(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").readlink())
        real(descriptor)

    monkeypatch.setattr(os, "fsync", noting)
    return synced
