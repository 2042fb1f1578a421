"""The tables' common ground: one metadata, and constraints that have names on every database.

Times are integers, microseconds since 1970-01-01 UTC. A record stands whole, as JSON text, in the
column ``body``; beside it stand the columns that are searched.
"""

from typing import Final

from sqlalchemy import MetaData

metadata: Final = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)
