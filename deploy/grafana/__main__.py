"""Write the dashboards' JSON: ``python -m deploy.grafana``."""

from pathlib import Path
from typing import Final

from deploy.grafana.alarm_quality import ALARM_QUALITY
from deploy.grafana.floor import FLOOR
from deploy.grafana.gateway import GATEWAY
from deploy.grafana.pipeline import PIPELINE

DASHBOARDS: Final = (FLOOR, PIPELINE, GATEWAY, ALARM_QUALITY)
FOLDER: Final = Path(__file__).parents[2] / "helm" / "pitwatch" / "files" / "dashboards"


def main() -> None:
    """Write each dashboard to its file."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for dashboard in DASHBOARDS:
        (FOLDER / f"{dashboard.name}.json").write_text(dashboard.text(), encoding="utf-8")


if __name__ == "__main__":
    main()
