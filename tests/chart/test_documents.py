"""What is written from the schema is what stands in the chart."""

from tests.chart.documents import documents


def test_values_and_readme_are_those_of_the_schema() -> None:
    for path, text in documents().items():
        assert path.read_text(encoding="utf-8") == text, f"{path.name}: run `make chart`"
