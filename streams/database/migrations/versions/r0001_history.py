"""Rounds, findings, alarms, acts, offsets and holds.

Revision: 0001, after nothing.
"""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables to this revision."""
    op.create_table(
        "rounds",
        sa.Column("opened_by", sa.Text(), nullable=False),
        sa.Column("table", sa.Text(), nullable=False),
        sa.Column("game", sa.Text()),
        sa.Column("number", sa.BigInteger(), nullable=False),
        sa.Column("opened_at", sa.BigInteger(), nullable=False),
        sa.Column("closed_at", sa.BigInteger(), nullable=False),
        sa.Column("ended", sa.Text(), nullable=False),
        sa.Column("dealer", sa.Text()),
        sa.Column("deck", sa.Text()),
        sa.Column("gap", sa.Boolean(), nullable=False),
        sa.Column("findings", sa.Integer(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("partition", sa.Integer(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("opened_by", name="pk_rounds"),
    )
    op.create_table(
        "round_findings",
        sa.Column("opened_by", sa.Text(), nullable=False),
        sa.Column("finding", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("opened_by", "finding", name="pk_round_findings"),
    )
    op.create_table(
        "findings",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("clause", sa.Text(), nullable=False),
        sa.Column("class", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("table", sa.Text(), nullable=False),
        sa.Column("game", sa.Text()),
        sa.Column("round", sa.BigInteger(), nullable=False),
        sa.Column("position", sa.Integer()),
        sa.Column("hand", sa.Integer()),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("partition", sa.Integer(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", "state", name="pk_findings"),
    )
    op.create_table(
        "alarms",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("table", sa.Text(), nullable=False),
        sa.Column("code", sa.Text(), nullable=False),
        sa.Column("clause", sa.Text(), nullable=False),
        sa.Column("class", sa.Text(), nullable=False),
        sa.Column("severity", sa.Text(), nullable=False),
        sa.Column("game", sa.Text()),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("round", sa.BigInteger(), nullable=False),
        sa.Column("raised_at", sa.BigInteger(), nullable=False),
        sa.Column("last_at", sa.BigInteger(), nullable=False),
        sa.Column("count", sa.BigInteger(), nullable=False),
        sa.Column("cleared_at", sa.BigInteger()),
        sa.Column("acknowledged_at", sa.BigInteger()),
        sa.Column("acknowledged_by", sa.Text()),
        sa.Column("disposition", sa.Text()),
        sa.Column("shelved_until", sa.BigInteger()),
        sa.Column("closed_at", sa.BigInteger()),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("partition", sa.Integer(), nullable=False),
        sa.Column("offset", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_alarms"),
    )
    op.create_table(
        "acts",
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("alarm", sa.Text()),
        sa.Column("table", sa.Text(), nullable=False),
        sa.Column("code", sa.Text()),
        sa.Column("act", sa.Text()),
        sa.Column("by", sa.Text()),
        sa.Column("role", sa.Text()),
        sa.Column("at", sa.BigInteger()),
        sa.Column("until", sa.BigInteger()),
        sa.Column("disposition", sa.Text()),
        sa.Column("note", sa.Text()),
        sa.Column("accepted", sa.Boolean()),
        sa.Column("reason", sa.Text()),
        sa.PrimaryKeyConstraint("command", name="pk_acts"),
    )
    op.create_table(
        "offsets",
        sa.Column("topic", sa.Text(), nullable=False),
        sa.Column("partition", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("next", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("topic", "partition", name="pk_offsets"),
    )
    op.create_table(
        "holds",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("table", sa.Text()),
        sa.Column("since", sa.BigInteger(), nullable=False),
        sa.Column("until", sa.BigInteger()),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("by", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_holds"),
    )
    for table, columns in (
        ("rounds", ["table", "opened_at"]),
        ("rounds", ["table", "number"]),
        ("rounds", ["dealer", "opened_at"]),
        ("rounds", ["opened_at"]),
        ("rounds", ["closed_at"]),
        ("round_findings", ["finding"]),
        ("findings", ["at"]),
        ("findings", ["table", "at"]),
        ("findings", ["code", "at"]),
        ("findings", ["clause", "at"]),
        ("findings", ["severity", "at"]),
        ("alarms", ["raised_at"]),
        ("alarms", ["table", "raised_at"]),
        ("alarms", ["code", "raised_at"]),
        ("alarms", ["closed_at"]),
        ("acts", ["alarm"]),
        ("acts", ["at"]),
        ("acts", ["table", "at"]),
        ("acts", ["by", "at"]),
    ):
        op.create_index("_".join(["ix", table, *columns]), table, columns)
