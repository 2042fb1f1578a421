"""The database's revisions, one line of them, as Alembic runs them."""
