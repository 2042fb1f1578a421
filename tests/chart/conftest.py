"""The chart, rendered once for all tests."""

import pytest

from tests.chart.rendering import Chart


@pytest.fixture(scope="session")
def chart() -> Chart:
    """The chart of this tree."""
    return Chart()
