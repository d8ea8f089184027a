# What people type. Needs make and Python 3.11 to 3.13 (with venv and pip), nothing else.

PYTHON ?= python3
SUBMISSION ?= solution/tensor_parallel_mlp.py
TESTS ?= tests

LOCK := requirements-dev.lock
PIP := -m pip -qq --disable-pip-version-check
READY := .venv/.ready

# A file's name is taken as it is typed, dollar signs and all.
override SUBMISSION := $(value SUBMISSION)
export SUBMISSION

.PHONY: help grade check lint types test known feedback fuzz check-matrix check-311 check-313 lock clean

help:
	@echo 'make grade SUBMISSION=file.py   grade a file (without SUBMISSION: the reference solution)'
	@echo 'make check                      lint, types and all tests'
	@echo 'make known                      all known submissions, each over the whole domain'
	@echo 'make check-matrix               all tests on Python 3.11 and on 3.13, with the JAX of each'
	@echo 'make fuzz RUNS=1000000           fuzz what reads the bytes of a submission'
	@echo 'make bench                      measure the speed beside a plain grader; writes docs/performance.md'
	@echo 'make lock                       choose the versions of all dependencies anew'
	@echo 'make clean                      remove what the others made'

# Make fails exactly when the submission is not accepted.
grade: $(READY)
	@.venv/bin/grader grade -- "$$SUBMISSION"

check: lint types test

lint: $(READY)
	.venv/bin/ruff check --quiet .
	.venv/bin/ruff format --quiet --check .

types: $(READY)
	.venv/bin/mypy --no-error-summary

test: $(READY)
	.venv/bin/python -m pytest -q -n 2 --dist worksteal $(TESTS)

# Every known submission over the whole domain; `make check` grades most of them at one shape.
known: $(READY)
	GRADER_WHOLE=1 .venv/bin/python -m pytest -q -n 2 --dist worksteal tests/test_known_submissions.py

check-matrix: check-311 check-313

check-311: .venv-311/.ready
	.venv-311/bin/python -m pytest -q -n 2 --dist worksteal $(TESTS)

check-313: .venv-313/.ready
	.venv-313/bin/python -m pytest -q -n 2 --dist worksteal $(TESTS)

# An environment is made anew whenever the lock is newer than it: what it holds is the lock and no more.
# $(1): the directory, $(2): the interpreter, $(3): the variable that names it.
define environment
@test -n "$(strip $(2))" || { echo "No interpreter found for $(1); name one: make $(3)=/path/to/python …" >&2; exit 1; }
@$(2) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 13))' 2>/dev/null || { \
    echo "This needs Python 3.11, 3.12 or 3.13, and "$(2) --version" says: $$($(2) --version 2>&1 | head -n 1)" >&2; \
    echo "Name another interpreter: make $(3)=python3.12 …" >&2; exit 1; }
@echo "Setting up $(1) (once, a minute or two) …" >&2
@$(2) -m venv --clear $(1) || { \
    echo "$(2) has no working venv module; on Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
@$(1)/bin/python $(PIP) install --require-hashes -r $(LOCK)
@$(1)/bin/python $(PIP) install --no-deps --no-build-isolation --editable .
@touch $(1)/.ready
endef

$(READY): $(LOCK)
	$(call environment,.venv,$(PYTHON),PYTHON)

.venv-311/.ready: $(LOCK) | $(READY)
	$(call environment,.venv-311,$(or $(PYTHON311),$(shell .venv/bin/uv python find --no-project 3.11 2>/dev/null)),PYTHON311)

.venv-313/.ready: $(LOCK) | $(READY)
	$(call environment,.venv-313,$(or $(PYTHON313),$(shell .venv/bin/uv python find --no-project 3.13 2>/dev/null)),PYTHON313)

# docs/feedback.md anew: what is said of the known submissions.
feedback: $(READY)
	.venv/bin/python -m tests.feedback

# Coverage-guided fuzzing of what reads a submission's bytes; atheris is installed when it is first needed.
RUNS ?= 1000000
fuzz: $(READY)
	.venv/bin/python -c 'import atheris' 2>/dev/null || .venv/bin/python $(PIP) install 'atheris>=3'
	test -d .fuzz/seeds || .venv/bin/python fuzz/seeds.py .fuzz/seeds
	mkdir -p .fuzz/corpus
	.venv/bin/python fuzz/programs.py .fuzz/corpus .fuzz/seeds -runs=$(RUNS) -max_len=65536 -timeout=30 \
	    -rss_limit_mb=4096 -artifact_prefix=.fuzz/ -print_final_stats=1

bench: $(READY)
	.venv/bin/python -m bench

lock: $(READY)
	.venv/bin/uv pip compile --quiet --universal --python-version 3.11 --extra dev --generate-hashes --upgrade \
	    --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' \
	    --output-file $(LOCK) pyproject.toml

clean:
	rm -rf .venv .venv-311 .venv-313 .hypothesis .mypy_cache .pytest_cache .ruff_cache *.egg-info
