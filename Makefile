# Pitwatch. `make help` lists the targets; `make run` and `make test` install all they need.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN_STAMP := $(VENV)/.installed-run
DEV_STAMP := $(VENV)/.installed-dev
TEST_ARGS ?=
MINUTES ?=
RATE ?= 2000
N ?= 300
ROUNDS ?= 10000

.DEFAULT_GOAL := help
.PHONY: help setup run test coverage test-fast lint types fmt bench faults soak fuzz readme proof mutants pins

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Pitwatch needs Python 3.11 or newer, found %s" % sys.version.split()[0])'
	$(PYTHON) -m venv $(VENV)

$(RUN_STAMP): requirements/run.txt pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --disable-pip-version-check --require-hashes -r requirements/run.txt
	$(BIN)/pip install --disable-pip-version-check --no-deps --no-build-isolation --editable .
	touch $@

$(DEV_STAMP): requirements/dev.txt $(RUN_STAMP)
	$(BIN)/pip install --disable-pip-version-check --require-hashes -r requirements/dev.txt
	touch $@

setup: $(DEV_STAMP) ## install everything for development into .venv

run: $(RUN_STAMP) ## the whole floor on this machine
	$(BIN)/pitwatch up $(RUN_ARGS)

test: $(DEV_STAMP) ## all tests, with coverage
	rm -rf build/coverage && mkdir -p build/coverage
	$(BIN)/coverage run -m pytest $(TEST_ARGS)
	$(BIN)/coverage combine --quiet
	$(if $(TEST_ARGS),,$(MAKE) coverage)

coverage: ## what the last test run covered: the pure parts whole by branch, the shells 85 %
	$(BIN)/coverage report --fail-under=100 --include='schemas/*,streams/core/*,streams/wire/*'
	$(BIN)/coverage report --fail-under=85 --include='streams/rulebooks/*,streams/shell/*,streams/serving/*,streams/database/*,streams/historian/*,streams/console/*,producers/*,deploy/*'

test-fast: $(DEV_STAMP) ## the tests that need no Kafka
	$(BIN)/pytest -m "not kafka and not slow" $(TEST_ARGS)

lint: $(DEV_STAMP) ## ruff and the import contracts
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(DEV_STAMP) ## mypy, strict
	$(BIN)/mypy

fmt: $(DEV_STAMP) ## format the code
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

bench: $(DEV_STAMP) ## measure speed: ratios in one run, beside those of tests/bench/baseline.json, build/bench.json
	$(BIN)/python -m tests.bench

fuzz: $(DEV_STAMP) ## each input that strangers write, for MINUTES each (20); TARGETS chooses
	$(BIN)/python -m tests.fuzz $(or $(MINUTES),20) $(TARGETS)

faults: $(DEV_STAMP) ## every fault of a worker and its broker, 100,000 events each, build/faults.json
	$(BIN)/python -m tests.faults

soak: $(DEV_STAMP) ## a floor at RATE (2000) events a second for MINUTES (45), restarted in turn, build/soak.json
	$(BIN)/python -m tests.soak $(or $(MINUTES),45) --rate $(RATE)

readme: $(DEV_STAMP) ## write the README's table of the regulation's sentences anew
	$(BIN)/python -m tests.architecture.coverage_table

proof: $(DEV_STAMP) ## ROUNDS (10000) legal rounds of each game, broken ones, every planted fault, build/proof.json
	$(BIN)/python -m tests.proof --rounds $(ROUNDS)

mutants: $(DEV_STAMP) ## N (300) sampled mutants of each game and the judge, build/mutants.json; GROUPS chooses
	$(BIN)/python -m tests.mutants --number $(N) $(GROUPS)

pins: $(DEV_STAMP) ## write the pinned requirements anew (needs uv)
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-annotate --python-version 3.11 pyproject.toml --group build -o requirements/run.txt
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-annotate --python-version 3.11 pyproject.toml --group build --group test --group lint -c requirements/run.txt -o requirements/dev.txt
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-annotate --python-version 3.11 requirements/quix.in -c requirements/run.txt -o requirements/quix.txt
