"""What Alembic runs: the revisions that are due, in the transaction that it is given."""

from alembic import context

from streams.database.base import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transactional_ddl=True,
    # SQLite cannot alter most of a table; Alembic then makes it anew and copies the rows.
    render_as_batch=True,
)
context.run_migrations()
