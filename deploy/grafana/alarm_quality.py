"""The quality of alarms, by the figures of ISA-18.2 and EEMUA 191."""

from typing import Final

from deploy.grafana.panels import Dashboard, Row, bars, graph, increase, quantile, series, stat

RAISED: Final = "pitwatch_alarms_raised_total"
ANSWER: Final = "pitwatch_alarm_answer_seconds"
ASKING: Final = series("pitwatch_alarms", 'state=~"unacknowledged|returned_unacknowledged"')
AWAY: Final = series("pitwatch_alarms", 'state=~"shelved|out_of_service"')
OLDEST: Final = series("pitwatch_oldest_unanswered_alarm_timestamp_seconds")
IN_TEN_MINUTES: Final = f"sum({increase(RAISED, over='10m')})"
OF_THE_DAY: Final = increase(RAISED, over="1d")
ANSWERED: Final = f"sum by (le) ({increase(f'{ANSWER}_bucket', over='1d')})"

ALARM_QUALITY: Final = Dashboard(
    name="alarm-quality",
    title="Alarm quality",
    description="Whether a person can work the alarms: how many, how grave, how long they wait.",
    known_by="pitwatch_build_info",
    rows=(
        Row(
            "Now",
            (
                stat(
                    "Raised in ten minutes",
                    "More than ten are a flood, in which alarms are missed.",
                    "none",
                    IN_TEN_MINUTES,
                    limit=10,
                ),
                stat(
                    "Raised in an hour",
                    "About six an hour can be worked by one person, twelve are the most.",
                    "none",
                    f"sum({increase(RAISED, over='1h')})",
                    limit=12,
                ),
                stat(
                    "Raised in a day",
                    "About 150 a day can be worked by one person, 300 are the most.",
                    "none",
                    f"sum({OF_THE_DAY})",
                    limit=300,
                ),
                stat(
                    "Time in flood, of the last day",
                    "The part of the day in which more than ten alarms came within ten minutes; "
                    "less than one in a hundred is the aim.",
                    "percentunit",
                    f"avg_over_time(({IN_TEN_MINUTES} > bool 10)[1d:1m])",
                    limit=0.01,
                ),
                stat(
                    "Asking",
                    "Alarms that ask for an answer now.",
                    "none",
                    f"sum({ASKING})",
                    limit=10,
                ),
                stat(
                    "Answered within, 50 of 100",
                    "Half of the last day's alarms were answered sooner.",
                    "s",
                    f"histogram_quantile(0.5, {ANSWERED})",
                    limit=300,
                ),
            ),
        ),
        Row(
            "How many",
            (
                graph(
                    "Raised in ten minutes",
                    "Alarms that began to ask within the ten minutes before; ten is the limit.",
                    "none",
                    (IN_TEN_MINUTES, "alarms"),
                    limit=10,
                ),
                graph(
                    "Raised by severity",
                    "Alarms that began to ask within each point of the graph.",
                    "none",
                    (f"sum by (severity) ({increase(RAISED)})", "{{severity}}"),
                    stacked=True,
                ),
                bars(
                    "Severities of the last day",
                    "The part of each severity; about 80 of 100 low or medium, 15 high and 5 "
                    "critical is the aim.",
                    "percentunit",
                    f"sum by (severity) ({OF_THE_DAY}) / ignoring (severity) group_left () "
                    f"sum({OF_THE_DAY})",
                    "{{severity}}",
                ),
            ),
        ),
        Row(
            "How long",
            (
                graph(
                    "Longest wait by severity",
                    "How long the alarm of each severity that waits longest has asked; no line "
                    "while none does.",
                    "s",
                    (f"time() - min by (severity) ({OLDEST})", "{{severity}}"),
                    limit=300,
                ),
                graph(
                    "Time to an answer",
                    "Of a hundred alarms fifty and five are answered later than the lines.",
                    "s",
                    (quantile(0.5, ANSWER), "50 of 100"),
                    (quantile(0.95, ANSWER), "95 of 100"),
                ),
                graph(
                    "Alarms by state",
                    "Alarms that are not closed, by state.",
                    "none",
                    (f"sum by (state) ({series('pitwatch_alarms')})", "{{state}}"),
                    stacked=True,
                ),
            ),
        ),
        Row(
            "What they are",
            (
                bars(
                    "Codes that came most in a day",
                    "The ten codes with most findings; a few that are most of the load are devices "
                    "or set-ups to be mended.",
                    "none",
                    f"topk(10, sum by (code) ({increase('pitwatch_findings_total', over='1d')}))",
                    "{{code}}",
                ),
                bars(
                    "Codes that stand",
                    "The ten codes that stand at most tables now: what stands for days is stale.",
                    "none",
                    f"topk(10, sum by (code) ({series('pitwatch_findings_standing')}))",
                    "{{code}}",
                ),
                graph(
                    "Out of sight",
                    "Alarms that are shelved or out of service: each was put there for a time and "
                    "a reason.",
                    "none",
                    (f"sum by (state, severity) ({AWAY})", "{{state}}, {{severity}}"),
                    stacked=True,
                ),
            ),
        ),
    ),
)
