# Pitwatch. `make help` lists the targets; `make run` and `make test` install all they need.
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUN_STAMP := $(VENV)/.installed-run
DEV_STAMP := $(VENV)/.installed-dev
AUDIT := build/audit
AUDIT_STAMP := $(AUDIT)/.installed
TEST_ARGS ?=
MINUTES ?=
RATE ?= 2000
N ?= 300
ROUNDS ?= 10000

.DEFAULT_GOAL := help
.PHONY: dashboards help setup run images test container-test coverage test-fast lint types fmt bench faults soak fuzz readme proof mutants pins cluster-test chart survivors audit sbom

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

images: $(RUN_STAMP) ## the images pitwatch and pitwatch-kafka, into the engine and as archives in build/images
	$(BIN)/python -m deploy.images $(if $(BASE),--base $(BASE)) $(if $(WHEELS),--wheels $(WHEELS))

test: $(DEV_STAMP) ## all tests, with coverage
	rm -rf build/coverage && mkdir -p build/coverage
	$(BIN)/coverage run -m pytest $(TEST_ARGS)
	$(BIN)/coverage combine --quiet
	$(if $(TEST_ARGS),,$(MAKE) coverage)

coverage: ## what the last test run covered: the pure parts whole by branch, the shells 85 %
	$(BIN)/coverage report --fail-under=100 --include='schemas/*,streams/core/*,streams/wire/*'
	$(BIN)/coverage report --fail-under=85 --include='streams/rulebooks/*,streams/shell/*,streams/serving/*,streams/brokers/*,streams/database/*,streams/historian/*,streams/console/*,producers/*,deploy/*'

chart: $(DEV_STAMP) ## write the chart's values, README and known names anew from its schema
	$(BIN)/python -m tests.chart.documents

survivors: $(DEV_STAMP) ## remove each line of the chart's templates in turn, and list those that no test misses (PATHS)
	$(BIN)/python -m tests.chart.survivors $(PATHS)

cluster-test: $(DEV_STAMP) ## the chart on the cluster that kubectl reaches (tests/cluster/conftest.py says what it needs)
	$(PITWATCH_CLUSTER_RUN) $(BIN)/python -m tests.cluster.wanted
	$(BIN)/python -m tests.cluster.images
	$(PITWATCH_CLUSTER_RUN) $(BIN)/pytest -x -m cluster --durations=0 tests/cluster $(TEST_ARGS)

container-test: $(DEV_STAMP) ## the worker's kills and the gateway's outages with Kafka in a container
	PITWATCH_KAFKA=container $(BIN)/pytest --timeout=600 \
	    tests/integration/test_worker.py::test_killed_ten_times_during_100_000_events_it_is_exact \
	    tests/integration/test_gateway.py::test_a_broker_that_is_away_longer_than_the_delivery_timeout_does_not_stop_it_for_ever

test-fast: $(DEV_STAMP) ## the tests that need no Kafka
	$(BIN)/pytest -m "not kafka and not slow and not cluster" $(TEST_ARGS)

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

dashboards: $(DEV_STAMP) ## write Grafana's dashboards anew
	$(BIN)/python -m deploy.grafana

proof: $(DEV_STAMP) ## ROUNDS (10000) legal rounds of each game, broken ones, every planted fault, build/proof.json
	$(BIN)/python -m tests.proof --rounds $(ROUNDS)

mutants: $(DEV_STAMP) ## N (300) sampled mutants of each game and the judge, build/mutants.json; GROUPS chooses
	$(BIN)/python -m tests.mutants --number $(N) $(GROUPS)

audit: $(AUDIT_STAMP) ## known faults of the pinned packages, by PyPI's own data; what could not be asked fails too
	$(AUDIT)/bin/pip-audit --strict --disable-pip --require-hashes --vulnerability-service pypi \
	    --requirement requirements/run.txt

sbom: $(AUDIT_STAMP) $(RUN_STAMP) ## what the images are made of, as CycloneDX lists in build/sbom
	mkdir -p build/sbom
	$(AUDIT)/bin/cyclonedx-py requirements --output-reproducible --of JSON \
	    --output-file build/sbom/python.cdx.json requirements/run.txt
	$(BIN)/python -m deploy.images.bill build/sbom/python.cdx.json build/sbom

$(AUDIT_STAMP): requirements/audit.txt
	$(PYTHON) -m venv $(AUDIT)
	$(AUDIT)/bin/pip install --disable-pip-version-check --require-hashes -r requirements/audit.txt
	touch $@

pins: $(DEV_STAMP) ## write the pinned requirements anew (needs uv)
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-annotate --python-version 3.11 pyproject.toml --group build -o requirements/run.txt
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-annotate --python-version 3.11 pyproject.toml --group build --group test --group lint -c requirements/run.txt -o requirements/dev.txt
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-annotate --python-version 3.11 requirements/quix.in -c requirements/run.txt -o requirements/quix.txt
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-annotate --python-version 3.11 requirements/audit.in -o requirements/audit.txt
