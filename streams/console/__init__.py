"""The operators' page: the live floor, alarms, tables and history."""
