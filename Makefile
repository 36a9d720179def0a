# The two commands a newcomer needs are `make build` and `make test`; both set up what is missing first.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PINS   := pyproject.toml requirements.lock
PANGO  := libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0

# Programs that start programs (tests above all) would compile every module again each time.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: build test types runs fuzz sweep bench bench-many accuracy docs pictures clean
.DELETE_ON_ERROR:

build: $(VENV)/installed
	$(BIN)/memreport build scenarios/

test: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(MAKE) --no-print-directory -j2 types runs

# Types are checked beside the tests: either takes one core for a while.
types:
	$(BIN)/mypy

runs:
	$(BIN)/pytest -n 2 --dist loadfile --no-loadscope-reorder

bench: $(VENV)/installed
	$(BIN)/python tests/bench.py

bench-many: $(VENV)/installed
	$(BIN)/python tests/bench_many.py --write

fuzz: $(VENV)/installed-test
	$(BIN)/python -m tests.fuzz --inputs $(or $(INPUTS),5000) --books $(or $(BOOKS),200)

# All that `make test` does a part of: every name of every drop-down, every scenario's files; half an hour and more.
sweep: $(VENV)/installed-test
	MEMREPORT_SWEEP=1 $(BIN)/pytest -n 2

accuracy: $(VENV)/installed-test
	$(BIN)/python tests/accuracy.py

calibrate: $(VENV)/installed-test
	$(BIN)/python tests/calibrate.py

docs: $(VENV)/installed
	$(BIN)/python -m memreport.publish.markdown.reference_pages docs
	$(BIN)/python tests/house.py

pictures: $(VENV)/installed-test
	$(BIN)/python tests/pictures.py

clean:
	find out -mindepth 1 ! -name README.md -delete
	rm -rf $(VENV) dist build .pytest_cache .mypy_cache .ruff_cache .hypothesis
	find memreport tests -name __pycache__ -type d -prune -exec rm -rf {} +

# Stamps: made again only when the pins change, so that a second call costs nothing.
$(VENV)/installed: $(PINS) | $(VENV)/libraries
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock -e .
	touch $@

$(VENV)/installed-test: $(PINS) | $(VENV)/libraries
	$(BIN)/python -m pip install --quiet --disable-pip-version-check -c requirements.lock -e '.[test]'
	touch $@ $(VENV)/installed

$(VENV)/libraries: | $(BIN)/python
	$(BIN)/python -c "import ctypes.util as u, sys; sys.exit(not all(map(u.find_library, ('pango-1.0', 'pangoft2-1.0', 'harfbuzz-subset'))))" || .ci/need $(PANGO)
	touch $@

$(BIN)/python:
	$(PYTHON) -c "import ensurepip, venv" 2>/dev/null || .ci/need python3-venv
	$(PYTHON) -m venv $(VENV)
