"""What is kept in a database: its tables, their migrations, and how it is opened."""
