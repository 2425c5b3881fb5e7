# Everything a person types: `make demo`, `make test`. `make test-system` takes longer and kills what it started.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
SECOND_ENGINE := build/second-engine/model/tokenizer.json

.PHONY: demo test test-system test-mutations lint types collected clean lock
# Tests start hundreds of processes of ours: each would compile everything again where this is set.
export PYTHONDONTWRITEBYTECODE :=

demo: $(STAMP)
	$(BIN)/committee demo

# Tests that time real processes can fail because a shared machine was busy. What fails is therefore tried once more,
# by itself, and both closing lines are printed; a fault fails twice.
AGAIN := --last-failed --last-failed-no-failures none

test: $(STAMP)
	@$(MAKE) --no-print-directory --jobs 2 --output-sync lint types collected
	$(BIN)/python -m pytest -n 6 --dist worksteal || $(BIN)/python -m pytest $(AGAIN)

# Two at once where processes are mostly waited for; alone where something is measured.
test-system: $(STAMP) $(SECOND_ENGINE)
	$(BIN)/python -m pytest -m "system and not alone" -n 2 --dist worksteal || \
		$(BIN)/python -m pytest -m "system and not alone" $(AGAIN)
	$(BIN)/python -m pytest -m "system and alone" || $(BIN)/python -m pytest -m "system and alone" $(AGAIN)

# Every refusal taken out of the code, one by one: about a quarter of an hour.
test-mutations: $(STAMP)
	$(BIN)/python -m pytest -m mutations

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(STAMP)
	$(BIN)/mypy

# Compiles the tests once, so that six workers need not; what cannot be collected is told by the run itself.
collected: $(STAMP)
	@$(BIN)/python -m pytest --collect-only -qq >/dev/null || true

$(STAMP): requirements/all.txt pyproject.toml
	@echo "The demo's model is Gemma 3 270M: its use is subject to the Gemma Terms of Use (ai.google.dev/gemma/terms)."
	@echo "The compiler for kernels is NVIDIA's: its use is subject to the CUDA Toolkit EULA (docs.nvidia.com/cuda/eula)."
	@echo "Installing pinned dependencies into $(VENV), about 1 GB: one to several minutes without a word."
	@start=$$(date +%s); \
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "$(PYTHON) is older than 3.11; name another one: make PYTHON=python3.11" >&2; exit 1; }; \
	$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv $(VENV) || \
		{ echo "$(PYTHON) cannot make an environment; on Debian: apt-get install python3-venv" >&2; exit 1; }; \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement requirements/all.txt && \
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable . && \
	echo "Installed the pinned environment in $$(( $$(date +%s) - start )) s (not counted as measuring)." && \
	touch $(STAMP)

# `transformers serve` in an environment of its own, and the demo's model as it loads it: 1.2 GB and 1.1 GB where PyPI's
# torch is built for the CPU alone, 6 GB where it brings CUDA along.
$(SECOND_ENGINE): $(STAMP)
	$(BIN)/python -m benchmarks.second_engine --only-install

lock: $(STAMP)
	$(BIN)/python -m pip install --quiet pip-tools
	$(BIN)/pip-compile --quiet --generate-hashes --no-emit-index-url --no-emit-find-links --no-emit-trusted-host \
		--strip-extras --allow-unsafe --no-header --extra review --extra ssh --extra postgres --extra cards --extra kernels --extra demo \
		pyproject.toml requirements/base.in requirements/dev.in --output-file requirements/all.txt

clean:
	rm -rf $(VENV) .mypy_cache .pytest_cache .ruff_cache build dist *.egg-info
