"""A worker whose rulebook lacks a row, so that an event out of place is an error to its judge.

No record is known that ends a worker of the shipped rulebook. Run with the worker's own options
for broker, topics, group and port.
"""

import click

from streams.core.book import Book
from streams.rulebooks import load
from streams.shell.app import build_app
from streams.shell.config import WorkerSettings

ROW = "event_out_of_place"


@click.command()
@click.option("--bootstrap", required=True)
@click.option("--topic-prefix", required=True)
@click.option("--application", required=True)
@click.option("--port", type=int, required=True)
def worker(bootstrap: str, topic_prefix: str, application: str, port: int) -> None:
    """Judge with all rows but one."""
    whole = load()
    rules = {code: rule for code, rule in whole.rules.items() if code != ROW}
    settings = WorkerSettings(
        bootstrap=bootstrap,
        book=Book(whole.name, whole.sha256, rules),
        version="test",
        prefix=topic_prefix,
        application=application,
        port=port,
    )
    build_app(settings).run()


if __name__ == "__main__":
    worker()
