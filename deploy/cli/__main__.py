"""`python -m deploy.cli`: the `pitwatch` command without its script."""

from deploy.cli.main import main

main(prog_name="pitwatch")
