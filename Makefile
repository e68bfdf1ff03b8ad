# Every command a person needs. Each target does all of its own set-up in $(VENV).

PYTHON ?= python3
PYTHONS ?= $(PYTHON)
VENV ?= .venv
BIN := $(VENV)/bin
CORE := CMakeLists.txt cpp/CMakeLists.txt cpp/include/shrubs.h $(shell find cpp -name '*.[ch]pp')

# The tests start many processes: none of them shall compile our Python again.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: help demo docs playground study test check test-python test-cpp sanitized test-attacks test-threads test-slow bench \
    history devices wheel installs clean prerequisites

help:
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 14

demo: $(VENV)/built ## race learners over drifting streams; says who won and where the report is
	$(BIN)/shrubs race agrawal_a led_a rbf_f --examples 12000 --output demo

# A ninja that knows of make's jobs cannot reach them from here.
alone = MAKEFLAGS=

# Set-up and checks leave a core to the compiler.
test: ## all checks and tests: exactly what CI runs
	@$(MAKE) --no-print-directory -j2 check test-cpp
	@$(MAKE) --no-print-directory test-python test-attacks

check: $(VENV)/built ## format, lint, types, import contracts
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/clang-format --dry-run --Werror $(filter %pp %.h,$(CORE))
	$(BIN)/python -m nanobind.stubgen -q -m shrubs._core -o src/shrubs/_core.pyi
	$(BIN)/mypy
	$(BIN)/lint-imports

# Three for two cores: some tests wait, for a process to start or to be stopped. The last ones are shared out again.
spread = -n 3 --dist worksteal

test-python: $(VENV)/built ## Python tests
	$(BIN)/pytest -q $(spread) -m "not slow and not network"

# The core, its tests and the extension module with sanitizers, in little time: half that of -O2 -g.
sanitize = $(BIN)/cmake -S . -G Ninja -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DSHRUBS_WERROR=ON \
    -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_CXX_FLAGS_RELWITHDEBINFO="-O1 -g1" -DSHRUBS_MODULE=ON -DSHRUBS_UNITY=ON \
    -DPython_EXECUTABLE=$(abspath $(BIN))/python -Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir) \
    --log-level=WARNING
# The attacks on the module of a build tree; the sanitizer's library has to be there before Python.
suffix = $$($(BIN)/python -c 'import sysconfig; print(sysconfig.get_config_var("EXT_SUFFIX"))')
attack = PYTHONPATH=$(CURDIR)/tests/attacks/sanitized SHRUBS_CORE=$(CURDIR)/$(1)/cpp/_core$(suffix) \
    PYTHONMALLOC=malloc LD_PRELOAD="$$($(CXX) -print-file-name=$(2)) $$($(CXX) -print-file-name=libstdc++.so)" \
    $(BIN)/python -m pytest -q -m "not slow and not network"

# Attacks on files and processes, which do not reach the core.
elsewhere = $(patsubst %,--ignore=tests/attacks/test_%.py,file_limits files keyed_kills kills results study_files terminal)

sanitized: $(VENV)/build
	$(sanitize) -B build/cpp -DSHRUBS_SANITIZE=address,undefined
	$(alone) $(BIN)/cmake --build build/cpp -- --quiet

test-cpp: sanitized ## C++ tests under sanitizers
	$(BIN)/ctest --test-dir build/cpp --output-on-failure --parallel 2

test-attacks: sanitized $(VENV)/built ## attacks under the address sanitizer; SHRUBS_ATTACK=100 takes hours
	ASAN_OPTIONS="detect_leaks=0 allocator_may_return_null=1 log_path=$(CURDIR)/build/asan" \
	    $(call attack,build/cpp,libasan.so) $(spread) $(elsewhere) tests/attacks

test-threads: $(VENV)/built ## attacks by threads under the thread sanitizer; some minutes
	$(sanitize) -B build/threads -DSHRUBS_SANITIZE=thread
	$(BIN)/cmake --build build/threads --target _core
	TSAN_OPTIONS="halt_on_error=1 die_after_fork=0 log_path=$(CURDIR)/build/tsan" \
	    $(call attack,build/threads,libtsan.so) -k threads tests/attacks

test-slow: $(VENV)/built ## long tests: soak, Spark (which needs Java 17 or later)
	$(BIN)/python -m pip install -q --group spark
	$(BIN)/pytest -q -m "slow and not network"

study: $(VENV)/built ## the paper's study in miniature, a quarter of an hour; the real streams need SHRUBS_DATA
	$(BIN)/shrubs study mini

docs: $(VENV)/built ## the documentation as a site in build/site
	$(BIN)/mkdocs build --strict --site-dir build/site

playground: $(VENV)/built ## the core for browsers and Node, tested, and the playground in build/playground
	@$(BIN)/python -c 'import ziglang' 2>/dev/null || $(BIN)/python -m pip install -q --group wasm || \
	    { echo "the playground needs zig: install the Python package ziglang into $(VENV)"; exit 1; }
	@$(MAKE) -s -C js -j2 PYTHON=$(abspath $(BIN))/python
	$(BIN)/pytest -q -rs tests/js
	@echo "the playground is build/playground/playground.html"

bench: $(VENV)/built ## benchmarks, as ratios against peers measured in the same run
	$(BIN)/python benchmarks/bench_step.py
	$(BIN)/python benchmarks/bench_python.py
	$(BIN)/python benchmarks/bench_predict.py
	$(BIN)/python benchmarks/bench_growth.py
	$(BIN)/python benchmarks/bench_moa_peers.py
	$(BIN)/python benchmarks/bench_generators.py
	$(BIN)/python benchmarks/bench_files.py
	$(BIN)/python benchmarks/bench_loop.py

history: $(VENV)/built ## keep the ratios of the last `make bench`; fails if one fell
	$(BIN)/python benchmarks/history.py

devices: $(VENV)/built ## flash, memory and instructions on microcontrollers, in an emulator; some minutes
	$(BIN)/python -m pip install -q --group devices
	$(BIN)/pytest -q tests/devices
	$(BIN)/python benchmarks/bench_devices.py

wheel: $(VENV)/tools ## sdist and wheel, audited, then tested in a clean environment
	rm -rf dist build/wheel-env
	$(BIN)/python -m build
	$(BIN)/python -m pip install -q --group audit
	PATH="$(abspath $(BIN)):$$PATH" auditwheel repair dist/*.whl --wheel-dir dist/audited
	for wheel in dist/*-abi3-*.whl; do test ! -e $$wheel || $(BIN)/abi3audit --strict $$wheel; done
	$(PYTHON) -m venv build/wheel-env
	build/wheel-env/bin/pip install -q --upgrade pip
	build/wheel-env/bin/pip install -q --group test dist/*.whl
	build/wheel-env/bin/pytest -q $(spread) -m "not slow and not network" tests

installs: $(VENV)/tools ## sdist and wheels in clean environments: PYTHONS="python3.10 python3.12 ..."
	$(BIN)/python -m build --sdist --outdir dist
	$(BIN)/python release/clean_installs.py dist $(PYTHONS)

clean: ## remove everything that was made
	rm -rf $(VENV) build dist src/shrubs/_core.pyi

prerequisites:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10))' 2>/dev/null || \
	    { echo "shrubs needs Python 3.10 or newer: set PYTHON=/path/to/python3"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	    { echo "shrubs needs Python's venv module: install python3-venv"; exit 1; }
	@command -v $${CXX:-c++} >/dev/null || \
	    { echo "shrubs needs a C++20 compiler: install g++ or clang++, or set CXX"; exit 1; }

# What compiles, which need not wait for the rest.
$(VENV)/build: pyproject.toml | prerequisites
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip
	$(BIN)/python -m pip install -q --group build
	touch $@

# The environment, without the package.
$(VENV)/tools: $(VENV)/build
	$(BIN)/python -m pip install -q --group dev
	touch $@

# The package, built again when the core changes. Python files are used in place.
$(VENV)/built: $(VENV)/tools $(CORE)
	$(alone) $(BIN)/python -m pip install -q --no-build-isolation --no-deps -e . -Cbuild-dir=build/editable
	touch $@
