"""Grafana's dashboards of Pitwatch, written in Python: `make dashboards` writes their JSON.

One module a dashboard; what all have in common stands in ``panels.py``. The JSON that is written,
``helm/pitwatch/files/dashboards``, is what the chart and Compose hand to Grafana, in Grafana's
classic form, which every version since 8 reads.
"""
