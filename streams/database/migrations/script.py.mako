"""${message}.

Revision: ${up_revision}, after ${down_revision or "nothing"}.
"""

import sqlalchemy as sa
from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Bring the tables to this revision."""
    ${upgrades}
