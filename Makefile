# Each target works from a clean clone with Python 3.11 or newer, make and pip; it makes its own .venv.
PYTHON ?= python3
BIN := .venv/bin
EXAMPLE := examples/mpi-basic.yaml

.PHONY: render test check generate snapshots bench wheel clean

render: .venv/runtime
	@$(BIN)/nvcre-render render $(EXAMPLE) --gpu-arch h100

test: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python scripts/generate.py --check
	$(BIN)/python scripts/kubernetes_shapes.py --check
	$(BIN)/python scripts/patch_shapes.py --check
	$(BIN)/pytest

generate: .venv/dev
	$(BIN)/python scripts/kubernetes_shapes.py
	$(BIN)/python scripts/patch_shapes.py
	$(BIN)/python scripts/generate.py

snapshots: .venv/dev
	$(BIN)/pytest tests/test_golden.py tests/test_golden_executor.py tests/test_formats.py --snapshot-update

bench: .venv/dev
	$(BIN)/python benchmarks/promises.py
	$(BIN)/python benchmarks/plan.py
	$(BIN)/python benchmarks/validate.py

wheel: .venv/dev
	$(BIN)/pip wheel --quiet --no-deps --wheel-dir dist .

clean:
	rm -rf .venv dist build .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -m venv .venv

.venv/runtime: .venv/bin/python pyproject.toml
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml
	@$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ .venv/runtime
