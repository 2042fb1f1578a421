"""Lines of the templates are guarded: a sample of them here, all of them by `make survivors`."""

from itertools import islice
from pathlib import Path

import pytest

from tests.chart.documents import CHART
from tests.chart.survivors import Line, checks, lines, survives

EVERY = 120
"""Each so many lines one is removed: eight of them take ten seconds."""


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_line_of_a_sample_can_be_removed() -> None:
    found = checks()
    assert len(found) > 50
    sample = list(islice(lines(), 7, None, EVERY))
    assert len(sample) > 6
    assert [str(line) for line in sample if survives(line, found)] == []


def test_a_line_without_a_test_survives() -> None:
    (comment,) = [
        Line(path, number, text)
        for path in [CHART / "templates" / "historian.yaml"]
        for number, text in enumerate(Path(path).read_text().splitlines(), 1)
        if text.startswith("# One historian")
    ]
    asked = [test for test in checks() if test.__module__ == "tests.chart.test_topics"]
    assert survives(comment, asked)
