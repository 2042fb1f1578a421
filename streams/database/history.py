"""The tables of what happened on the floor: rounds, findings, alarms, acts, and how far they go.

| table | a row is | its key |
|---|---|---|
| ``rounds`` | a round that is over | the identity of its first event |
| ``round_findings`` | a finding that was raised in a round | the round and the finding |
| ``findings`` | a finding raised, or cleared | the finding's id and which of both |
| ``alarms`` | an alarm as it was told last | the alarm's id |
| ``acts`` | what an operator asked for, and what became of it | the command's id |
| ``offsets`` | the next record to read of a partition | the topic and the partition |
| ``holds`` | what must not be deleted, for the law | the hold's id |

``partition`` and ``offset`` say where a row's record stands in its topic: a row is replaced only by
a record behind it. They are no foreign keys of each other, for the topics are read side by side.
"""

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, Table, Text

from streams.database.base import metadata

WHERE: Final = ("partition", "offset")


def _where() -> tuple[Column[int], Column[int]]:
    return (
        Column("partition", Integer, nullable=False),
        Column("offset", BigInteger, nullable=False),
    )


rounds: Final = Table(
    "rounds",
    metadata,
    Column("opened_by", Text, primary_key=True),
    Column("table", Text, nullable=False),
    Column("game", Text),
    Column("number", BigInteger, nullable=False),
    Column("opened_at", BigInteger, nullable=False),
    Column("closed_at", BigInteger, nullable=False),
    Column("ended", Text, nullable=False),
    Column("dealer", Text),
    Column("deck", Text),
    Column("gap", Boolean, nullable=False),
    Column("findings", Integer, nullable=False),
    Column("body", Text, nullable=False),
    *_where(),
    Index(None, "table", "opened_at"),
    Index(None, "table", "number"),
    Index(None, "dealer", "opened_at"),
    Index(None, "opened_at"),
    Index(None, "closed_at"),
)

round_findings: Final = Table(
    "round_findings",
    metadata,
    Column("opened_by", Text, primary_key=True),
    Column("finding", Text, primary_key=True),
    Index(None, "finding"),
)

findings: Final = Table(
    "findings",
    metadata,
    Column("id", Text, primary_key=True),
    Column("state", Text, primary_key=True),
    Column("code", Text, nullable=False),
    Column("clause", Text, nullable=False),
    Column("class", Text, nullable=False, key="class_"),
    Column("severity", Text, nullable=False),
    Column("table", Text, nullable=False),
    Column("game", Text),
    Column("round", BigInteger, nullable=False),
    Column("position", Integer),
    Column("hand", Integer),
    Column("at", BigInteger, nullable=False),
    Column("body", Text, nullable=False),
    *_where(),
    Index(None, "at"),
    Index(None, "table", "at"),
    Index(None, "code", "at"),
    Index(None, "clause", "at"),
    Index(None, "severity", "at"),
)

alarms: Final = Table(
    "alarms",
    metadata,
    Column("id", Text, primary_key=True),
    Column("table", Text, nullable=False),
    Column("code", Text, nullable=False),
    Column("clause", Text, nullable=False),
    Column("class", Text, nullable=False, key="class_"),
    Column("severity", Text, nullable=False),
    Column("game", Text),
    Column("state", Text, nullable=False),
    Column("round", BigInteger, nullable=False),
    Column("raised_at", BigInteger, nullable=False),
    Column("last_at", BigInteger, nullable=False),
    Column("count", BigInteger, nullable=False),
    Column("cleared_at", BigInteger),
    Column("acknowledged_at", BigInteger),
    Column("acknowledged_by", Text),
    Column("disposition", Text),
    Column("shelved_until", BigInteger),
    Column("closed_at", BigInteger),
    Column("body", Text, nullable=False),
    *_where(),
    Index(None, "raised_at"),
    Index(None, "table", "raised_at"),
    Index(None, "code", "raised_at"),
    Index(None, "closed_at"),
)

acts: Final = Table(
    "acts",
    metadata,
    Column("command", Text, primary_key=True),
    Column("alarm", Text),
    Column("table", Text, nullable=False),
    Column("code", Text),
    Column("act", Text),
    Column("by", Text),
    Column("role", Text),
    Column("at", BigInteger),
    Column("until", BigInteger),
    Column("disposition", Text),
    Column("note", Text),
    Column("accepted", Boolean),
    Column("reason", Text),
    Index(None, "alarm"),
    Index(None, "at"),
    Index(None, "table", "at"),
    Index(None, "by", "at"),
)

offsets: Final = Table(
    "offsets",
    metadata,
    Column("topic", Text, primary_key=True),
    Column("partition", Integer, primary_key=True, autoincrement=False),
    Column("next", BigInteger, nullable=False),
)

holds: Final = Table(
    "holds",
    metadata,
    Column("id", Text, primary_key=True),
    Column("table", Text),
    Column("since", BigInteger, nullable=False),
    Column("until", BigInteger),
    Column("reason", Text, nullable=False),
    Column("by", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)
