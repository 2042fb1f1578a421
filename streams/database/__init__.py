"""What is kept in a database: its tables, their migrations, and how it is opened."""

from streams.database.base import metadata
from streams.database.migrating import migrate
from streams.database.opening import DatabaseFault, open_database, reading, writing

__all__ = ["DatabaseFault", "metadata", "migrate", "open_database", "reading", "writing"]
