"""What the page shows of the floor, read from the topics, and told to every browser."""
