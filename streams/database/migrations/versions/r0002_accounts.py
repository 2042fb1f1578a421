"""Accounts, sessions, tries to sign in, audit and secrets.

Revision: 0002, after 0001.
"""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables to this revision."""
    op.create_table(
        "users",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("password", sa.Text(), nullable=False),
        sa.Column("role", sa.Text(), nullable=False),
        sa.Column("pits", sa.Text(), nullable=False),
        sa.Column("disabled", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("changed_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_users"),
    )
    op.create_table(
        "sessions",
        sa.Column("id_sha256", sa.Text(), nullable=False),
        sa.Column("user", sa.Text(), nullable=False),
        sa.Column("csrf", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.Column("seen_at", sa.BigInteger(), nullable=False),
        sa.Column("ended_at", sa.BigInteger()),
        sa.PrimaryKeyConstraint("id_sha256", name="pk_sessions"),
    )
    op.create_table(
        "sign_ins",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("name_sha256", sa.Text(), nullable=False),
        sa.Column("address", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_sign_ins"),
    )
    op.create_table(
        "audit",
        sa.Column("id", sa.Text(), nullable=False),
        sa.Column("at", sa.BigInteger(), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("what", sa.Text(), nullable=False),
        sa.Column("target", sa.Text()),
        sa.Column("why", sa.Text()),
        sa.Column("address", sa.Text()),
        sa.PrimaryKeyConstraint("id", name="pk_audit"),
    )
    op.create_table(
        "secrets",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_secrets"),
    )
    for table, columns in (
        ("sessions", ["user"]),
        ("sessions", ["created_at"]),
        ("sign_ins", ["name_sha256", "at"]),
        ("sign_ins", ["address", "at"]),
        ("sign_ins", ["at"]),
        ("audit", ["at"]),
        ("audit", ["who", "at"]),
    ):
        op.create_index("_".join(["ix", table, *columns]), table, columns)
