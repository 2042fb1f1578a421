"""The tables of who may do what: accounts, sessions, tries to sign in, what was done, and secrets.

| table | a row is | its key |
|---|---|---|
| ``users`` | an account; its password as argon2 encodes it, its pits as JSON (none: all) | name |
| ``sessions`` | a session; the browser alone has its id | the id's SHA-256 |
| ``sign_ins`` | a try to sign in that failed or goes on, while the limits count it | id |
| ``audit`` | what a person or a stranger did: who, when, what, to what, why, from where | id |
| ``secrets`` | what all consoles of a floor sign with; made by the first of them | name |

No row holds a password, a session's id, or what a stranger typed as a name, for that may be a
password too. The audit outlives the accounts that it names, so names
in it are no foreign keys.
"""

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Index, LargeBinary, Table, Text

from streams.database.base import metadata

users: Final = Table(
    "users",
    metadata,
    Column("name", Text, primary_key=True),
    Column("password", Text, nullable=False),
    Column("role", Text, nullable=False),
    Column("pits", Text, nullable=False),
    Column("disabled", Boolean, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("changed_at", BigInteger, nullable=False),
)

sessions: Final = Table(
    "sessions",
    metadata,
    Column("id_sha256", Text, primary_key=True),
    Column("user", Text, nullable=False),
    Column("csrf", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("created_at", BigInteger, nullable=False),
    Column("seen_at", BigInteger, nullable=False),
    Column("ended_at", BigInteger),
    Index(None, "user"),
    Index(None, "created_at"),
)

sign_ins: Final = Table(
    "sign_ins",
    metadata,
    Column("id", Text, primary_key=True),
    Column("name_sha256", Text, nullable=False),
    Column("address", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
    Index(None, "name_sha256", "at"),
    Index(None, "address", "at"),
    Index(None, "at"),
)

audit: Final = Table(
    "audit",
    metadata,
    Column("id", Text, primary_key=True),
    Column("at", BigInteger, nullable=False),
    Column("who", Text, nullable=False),
    Column("what", Text, nullable=False),
    Column("target", Text),
    Column("why", Text),
    Column("address", Text),
    Index(None, "at"),
    Index(None, "who", "at"),
)

secrets: Final = Table(
    "secrets",
    metadata,
    Column("name", Text, primary_key=True),
    Column("value", LargeBinary, nullable=False),
    Column("created_at", BigInteger, nullable=False),
)
