# From a bare checkout with python3 (3.11 or newer), pip and make. Everything installed stays in .venv (and .tools).
BIN := .venv/bin
INSTALL := sh .ci/bootstrap.sh
# Test processes side by side (some wait for servers while others work); `make test WORKERS=0` runs them in one.
WORKERS ?= 3
# More words for pytest: `make test ARGS='tests/test_house.py -x'`.
ARGS ?=
LOCK := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --only-binary :all: \
	--no-config --custom-compile-command 'make lock' --extra postgres --extra oidc --extra letters \
	pyproject.toml requirements/run.in

# Where it is set, every process compiles all modules anew: hundreds of processes in the tests alone.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo serve test prove bench screens check format lock sbom clean

demo:
	@$(INSTALL) run
	@$(BIN)/pumper demo

serve:
	@$(INSTALL) run
	@$(BIN)/pumper serve --demo

test:
	@$(INSTALL) dev
	@$(BIN)/python -m pytest --numprocesses $(WORKERS) $(ARGS)

# Every promise at full size, on both databases, with its figures in docs/promises.md. Some of them, keeping the others'
# figures: `make prove P=P10`, `make prove P="P4 P10"`; on one of the databases: `make prove P="P4 sqlite"`.
P ?=
prove:
	@$(INSTALL) dev
	@$(BIN)/python -m tests.promises.prove $(P)

# What is to be quick, beside what people would use instead; `make bench STEPS="checking single"` measures those alone.
STEPS ?=
bench:
	@$(INSTALL) dev
	@$(BIN)/python bench/run.py $(STEPS) --write

# Pictures of the main pages, with Chromium, into docs/screens.
screens:
	@$(INSTALL) dev
	@$(BIN)/python docs/screens.py

check:
	@$(INSTALL) dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/deptry .

format:
	@$(INSTALL) dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Newest versions that pyproject.toml and requirements/*.in allow: `make lock ARGS=--upgrade`.
lock:
	@$(INSTALL) dev
	$(LOCK) $(ARGS) --output-file requirements/run.txt
	$(LOCK) $(ARGS) requirements/dev.in --output-file requirements/dev.txt

# The bill of materials of what runs (CycloneDX), in dist/, for whoever looks up known weaknesses.
sbom:
	@$(INSTALL) dev
	@mkdir -p dist
	$(BIN)/python requirements/sbom.py >dist/sbom.cdx.json

# Leaves var/ alone: it holds reports.
clean:
	rm -rf .venv .tools .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis build dist
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
