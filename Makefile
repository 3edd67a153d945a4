# Every command here sets up what it needs first: system packages, a virtual environment in .venv, and the build.
# PRESET=debug builds with assertions and sanitizers.
PRESET ?= release
BUILD := $(if $(filter debug,$(PRESET)),build-debug,build)
PYTHON ?= python3
JOBS ?= $(shell nproc)
PREFIX ?= /usr/local
VENV := .venv/bin

.PHONY: demo nightly test test-optional test-bare test-wheel test-package check build tests tools configure setup bench wheel wheels runtime-wheel install package docs tour golden format lint clean help

help: ## list the commands
	@echo 'make COMMAND [PRESET=debug] [PYTHON=python3.12]'
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

demo: build ## run the example kernels on real data, checked against NumPy
	@echo '== examples'
	$(VENV)/python examples/python/demo.py
	@for example in vector_add softmax matmul "vector_add_gpu sim:cuda:90"; do \
	  $(BUILD)/examples/cpp/example_$$example || exit 1; done
	$(MAKE) -C examples/c run OUT=$(abspath $(BUILD))/examples/c TRITONC=$(abspath $(VENV))/tritonc CC=clang-22

test: tests ## build and run all tests
	scripts/run_tests.sh $(BUILD)

test-optional: tests ## tests with PyTorch, in an environment of their own
	scripts/run_optional_tests.sh $(BUILD)

test-bare: setup ## make demo and make test of the last commit in a bare Debian 12 (as root)
	scripts/test_bare_system.sh

check: configure ## what to run before a commit: the checks of sources, lint of what changed, the fast tests
	scripts/check_changes.sh $(BUILD)

build: configure ## compile the package, the library and tritonc
	@echo '== build'
	cmake --build --preset $(PRESET) --parallel $(JOBS)

tests: configure ## compile what the tests need, too
	cmake --build --preset $(PRESET) --parallel $(JOBS) --target all triton-tests

configure: setup
	@echo '== configure'
	@cmake --preset $(PRESET) -DPython_EXECUTABLE=$(CURDIR)/$(VENV)/python --log-level=WARNING

tools: configure
	cmake --build --preset $(PRESET) --parallel $(JOBS) --target all triton-opt

setup: ## install system packages and the Python environment
	@echo '== packages'
	@PYTHON=$(PYTHON) BUILD=$(BUILD) scripts/setup.sh

bench: tests ## print the figures and write build/bench.json
	$(VENV)/python bench/bench.py --output $(BUILD)/bench.json

wheel: setup ## the Python package as dist/*.whl, for PYTHON's version
	PYTHON=$(PYTHON) scripts/build_wheel.sh

wheels: setup ## the wheels of all versions of Python, or of the interpreters that PYTHONS names
	scripts/build_wheels.sh

runtime-wheel: ## the package that launches kernels of bundles without the compiler, as dist/nereid_runtime-*.whl
	scripts/build_runtime.py dist

test-wheel: wheel ## install the wheel in a bare Debian 12 and run the README's kernel there (as root)
	scripts/test_wheel.sh

install: tools ## the C++ library, its headers and tritonc, under PREFIX or else /usr/local
	cmake --install $(BUILD) --component library --prefix $(PREFIX)

package: tools ## the C++ library, its headers and tritonc as a Debian package, dist/*.deb
	cd $(BUILD) && cpack -B $(CURDIR)/dist && rm -rf $(CURDIR)/dist/_CPack_Packages

test-package: package ## install the Debian package in a bare Debian 12 and build programs with it there (as root)
	scripts/test_package.sh

docs: ## the documents as a site, build-docs/site/index.html; fails where a link leads nowhere
	[ -x build-docs/tools/bin/mkdocs ] || $(PYTHON) -m venv build-docs/tools
	build-docs/tools/bin/python -m pip install --quiet --disable-pip-version-check -r python/requirements-docs.txt
	NO_MKDOCS_2_WARNING=1 build-docs/tools/bin/mkdocs build --strict --quiet

tour: build ## draw the pictures of docs/tour anew, with Chromium
	scripts/draw_tour.sh $(BUILD)

golden: tests ## rewrite the expected outputs of golden tests from what the compiler does now
	$(VENV)/python scripts/update_goldens.py --build $(BUILD)
	$(VENV)/python scripts/draw_shapes.py
	$(BUILD)/bin/triton-generate-stubs .
	$(VENV)/python scripts/generate_ir_docs.py
	$(VENV)/python scripts/generate_layer_docs.py
	$(VENV)/python scripts/generate_compatibility_docs.py $(BUILD)
	$(VENV)/python scripts/generate_tuned_docs.py
	$(VENV)/python scripts/generate_layout_docs.py $(BUILD)

format: setup ## format C++, Python and JavaScript
	scripts/format.sh

nightly: ## every test there is; writes .ci/nightly.json, to be committed
	scripts/run_nightly.py

lint: build ## clang-tidy and what make format would change, without changing files
	scripts/lint.sh $(BUILD)

clean: ## remove the build folders
	rm -rf build build-debug build-wheel build-docs dist
