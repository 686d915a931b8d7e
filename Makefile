# Every target sets up .venv by itself; a fresh machine needs Python 3.11 or later, make and git.

PYTHON ?= $(shell for v in python3.14 python3.13 python3.12 python3.11 python3; do \
	$$v -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$v && break; done)
BIN := .venv/bin
READY := .venv/.ready

.DEFAULT_GOAL := help
.PHONY: help demo test coverage mutation types lint format docs bench fuzz wheel clean

help: ## Show these targets
	@grep -E '^[a-z]+:.*## ' Makefile | sed -E 's/:.*## /\t/' | expand -t 10

$(READY): pyproject.toml
	@test -n "$(PYTHON)" || { echo "Python 3.11 or later is needed"; exit 2; }
	@$(BIN)/python -c '' 2>/dev/null || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --upgrade 'pip>=25.1'
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable . --group dev
	@touch $@

demo: $(READY) ## Audit the bundled sessions and show what they claim against what they record
	@$(BIN)/transcript-lint check --exit-zero fixtures/demo

test: $(READY) ## Run the tests
	@$(BIN)/python -m pytest -n auto

coverage: $(READY) ## Run the tests and show the lines that none of them reaches
	@$(BIN)/python -m pytest -n auto -m 'not timed' --cov --cov-report=term

FAULTS ?= 40

mutation: $(READY) ## Put FAULTS small faults into each room and count those that the tests notice
	@$(BIN)/python -m benchmarks.mutation --sample $(FAULTS)

types: $(READY) ## Check types with mypy and pyright
	@$(BIN)/mypy
	@$(BIN)/pyright

lint: $(READY) ## Check style
	@$(BIN)/ruff check .
	@$(BIN)/ruff format --check .

format: $(READY) ## Put style right
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/ruff format --quiet .

docs: $(READY) ## Write docs/ anew from the code
	@$(BIN)/python docs/generate.py

bench: $(READY) ## Measure speed and memory
	@$(BIN)/python -m benchmarks.bench_check --memory

FUZZ_SECONDS ?= 60

fuzz: $(READY) ## Fuzz sources and readers, FUZZ_SECONDS each
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check atheris
	@for target in sources readers; do mkdir -p .fuzz/$$target; $(BIN)/python fuzz/fuzz_$$target.py \
		-max_total_time=$(FUZZ_SECONDS) -max_len=8192 -artifact_prefix=.fuzz/ .fuzz/$$target \
		$$(find fixtures -mindepth 1 -maxdepth 1 -type d) || exit 1; done

wheel: $(READY) ## Build wheel and sdist into dist/
	@$(BIN)/python -m build --quiet

clean: ## Remove everything that was built
	@rm -rf .venv dist build .pytest_cache .mypy_cache .ruff_cache
