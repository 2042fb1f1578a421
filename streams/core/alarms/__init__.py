"""A table's alarms: a second machine beside the table's, folded from its findings and from acts."""
