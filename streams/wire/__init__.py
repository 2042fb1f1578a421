"""Translation between records and the core, and between table state and bytes."""
