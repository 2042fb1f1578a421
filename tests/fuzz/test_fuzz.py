"""A short run of every target, and every input that once broke one. `make fuzz` is the long run."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fuzz.console_target import stop_console
from tests.fuzz.http_target import stop_http
from tests.fuzz.mutation import CORPORA, corpus, good, inputs
from tests.fuzz.targets import TARGETS

KEPT = [(name, path) for name in TARGETS for path in corpus(name)]
SHORT = {"http": 60, "spool": 150, "console": 80}
"""Inputs of a short run: about two seconds each."""


@pytest.fixture(scope="module", autouse=True)
def _ended() -> Iterator[None]:
    yield
    stop_http()
    stop_console()


@pytest.mark.parametrize(("name", "path"), KEPT, ids=lambda each: getattr(each, "name", each))
def test_what_once_broke_it_does_so_no_more(name: str, path: Path) -> None:
    TARGETS[name].check(path.read_bytes())


@pytest.mark.parametrize("name", TARGETS)
def test_good_inputs_hold(name: str) -> None:
    for seed in good(name):
        TARGETS[name].check(seed)


@pytest.mark.parametrize("name", TARGETS)
def test_no_input_breaks_it(name: str) -> None:
    @settings(
        max_examples=SHORT.get(name, 300),
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )
    @given(data=st.deferred(lambda: inputs(name)))
    def tried(data: bytes) -> None:
        TARGETS[name].check(data)

    tried()


def test_every_folder_of_kept_inputs_is_a_targets_and_small() -> None:
    assert {folder.name for folder in CORPORA.iterdir() if folder.is_dir()} <= set(TARGETS)
    assert sum(path.stat().st_size for _, path in KEPT) < 200_000
