"""A container's probes, each on a line."""

from typing import Any

Probe = tuple[str, str, int, int, int]


def probes(container: dict[str, Any], scheme: str | None = None) -> dict[str, Probe]:
    """Return each probe's path, port, period, failures and timeout.

    Args:
        container: of a pod.
        scheme: what all of them must speak; plain HTTP where none is named.
    """
    found: dict[str, Probe] = {}
    for name in ("startupProbe", "livenessProbe", "readinessProbe"):
        probe = container[name]
        asked = probe.pop("httpGet")
        assert asked.get("scheme") == scheme
        found[name] = (
            asked["path"],
            asked["port"],
            probe["periodSeconds"],
            probe["failureThreshold"],
            probe["timeoutSeconds"],
        )
        probe["httpGet"] = asked
    return found
