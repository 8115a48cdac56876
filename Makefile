# Verbs for people: `make app`, `make lab`, `make test`, `make lint`, `make figures`, `make bench`.
# Each makes .venv and installs what it needs there, pinned by constraints.txt; nothing outside this folder changes.
#   make app PORT=9000 HOST=0.0.0.0     another port, every interface (see app/serving/voila.py)
#   make app VOILA_FLAGS=--no-browser   open no browser
#   make serve PRESET=class             for others, as deploy/class.env says (or PRESET=public), behind a proxy
#   make figures                        the paper's figures and tables into build/figures, and docs/findings.md
#   make figures FIGURES=4              figure 4 alone
#   make lecture PORT=9000              a lecture into build/lecture: links to that port, hand-out, answers, quiz
#   make static PYODIDE=folder          the page without a server into build/static; Pyodide from folders, else fetched
#   make picture                        take the picture of the README anew
#   make test PYTEST_ARGS='tests/core -x'
#   make test-other                     what else shows the page: notebooks, Firefox, and the folder without a server
#   make coverage                       the lines of polyak_core that tests/core passes
#   make test-processors                tests/core as on other processors, and with longdouble no wider than double
#   make firefox                        install Debian's Firefox where there is none, and run the tests in it
#   make faults                         what takes minutes against a served page: cut lines, full disks, kills, proxies
#   make soak STUDENTS=40 MINUTES=60    a class at its work against a server of its own, and a report
#   make test-oldest, make test-newest  tests/core and the page on the lowest and on the newest versions that are allowed
#   make test-newest PYTEST_ARGS=--here  on the newest Python of this machine alone, as .ci/run has it
#   make constraints                    renew the pins of constraints.txt
#   make package                        the wheel and the sdist, installed in new environments and tried there
#   make docs                           the documentation as a site, into build/site/html
#   make review                         which conventions of scientific packages are not kept, and has each its reason?
#   make hunt HUNT_SECONDS=60           look for inputs that break a property of the core (an hour if nothing is said)
#   make bench BENCH_ARGS='floor peers'  these sections alone (--quick: does everything run?)
#   make bench-compare REV=main         the speed of this checkout over that of another revision
#   make app PYTHON=python3.13          a given Python (remove .venv first)

VENV = .venv
BIN = $(VENV)/bin
PYTHON =
VOILA_FLAGS =
PRESET = class
PYTEST_ARGS =
HUNT_SECONDS = 3600
STUDENTS = 40
MINUTES = 60
FIGURES =
PYODIDE = $(POLYAK_PYODIDE_DIR)
BENCH_ARGS =
REV =
INPUTS = pyproject.toml constraints.txt $(shell find app/polyak_widgets/voila_template -type f 2>/dev/null)
# nbstripout, like git, looks only at what is in the repository or on its way into it.
NOTEBOOKS = $(shell git ls-files --cached --others --exclude-standard '*.ipynb' 2>/dev/null)

.PHONY: help app serve lab test test-other coverage test-processors firefox faults soak test-oldest test-newest constraints package hunt picture lecture static lint docs review figures bench bench-page bench-compare
.DELETE_ON_ERROR:

help:
	@sed -n '1,/^$$/s/^# \{0,1\}//p' Makefile

app: $(VENV)/installed-app
	$(BIN)/voila app/explore.ipynb --Voila.config_file_paths=app/serving $(VOILA_FLAGS)

serve: $(VENV)/installed-app
	@HOST=$(HOST) PORT=$(PORT) sh .make/serve.sh $(BIN) "$(PRESET)" $(VOILA_FLAGS)

# Jupyter refuses to run as root, which is who one is in many containers; it listens on localhost, with a token.
lab: $(VENV)/installed-app-lab
	$(BIN)/jupyter-lab --notebook-dir=. $(if $(filter 0,$(shell id -u)),--allow-root) \
	--LabApp.default_url=/lab/tree/notebooks/00_start.ipynb

test: $(VENV)/installed-app-lab-test
	@CHROMIUM=`$(BIN)/python tests/browser/find_chromium.py` && export CHROMIUM && \
	echo "Chromium for the browser tests: $$CHROMIUM" && $(BIN)/python -m pytest --numprocesses=auto --dist=worksteal $(PYTEST_ARGS)

test-other: $(VENV)/installed-app-lab-test
	@CHROMIUM=`$(BIN)/python tests/browser/find_chromium.py` && export CHROMIUM && \
	$(BIN)/python -m pytest --numprocesses=auto --dist=worksteal \
	-m "(notebooks or firefox or pyodide) and not faults" tests/browser $(PYTEST_ARGS)

coverage: $(VENV)/installed-app-lab-test
	$(BIN)/python -m pytest --cov=polyak_core --cov-report=term --numprocesses=auto $(or $(PYTEST_ARGS),tests/core)

test-processors: $(VENV)/installed-app-lab-test
	$(BIN)/python tests/processors.py $(PYTEST_ARGS)

firefox: $(VENV)/installed-app-lab-test
	@FIREFOX=`$(BIN)/python tests/browser/find_firefox.py` && export FIREFOX && \
	echo "Firefox: $$FIREFOX" && $(BIN)/python -m pytest -m firefox tests/browser $(PYTEST_ARGS)

faults: $(VENV)/installed-app-lab-test
	@CHROMIUM=`$(BIN)/python tests/browser/find_chromium.py` && export CHROMIUM && \
	$(BIN)/python -m pytest -m faults tests/browser tests/serving $(PYTEST_ARGS)

soak: $(VENV)/installed-app-lab-test
	$(BIN)/python tests/serving/soak.py --students $(STUDENTS) --minutes $(MINUTES)

test-oldest: $(VENV)/installed-app-lab-test
	@CHROMIUM=`$(BIN)/python tests/browser/find_chromium.py` && export CHROMIUM && \
	$(BIN)/python tests/versions.py oldest $(PYTEST_ARGS)

test-newest: $(VENV)/installed-app-lab-test
	@CHROMIUM=`$(BIN)/python tests/browser/find_chromium.py` && export CHROMIUM && \
	$(BIN)/python tests/versions.py newest $(PYTEST_ARGS)

constraints: $(VENV)/pyvenv.cfg
	$(BIN)/python .make/constraints.py $(PYTHON)

package: $(VENV)/installed-app-lab-test-docs
	@CHROMIUM=`$(BIN)/python tests/browser/find_chromium.py` && export CHROMIUM && \
	$(BIN)/python -m pytest -m package tests/package $(PYTEST_ARGS)

hunt: $(VENV)/installed-app-lab-test
	$(BIN)/python tests/hunt.py --seconds $(HUNT_SECONDS) $(PYTEST_ARGS)

picture: $(VENV)/installed-app-lab-test
	@CHROMIUM=`$(BIN)/python tests/browser/find_chromium.py` && export CHROMIUM && \
	$(BIN)/python -m pytest tests/browser/picture.py

lecture: $(VENV)/installed-app-lecture
	@CHROMIUM=`$(BIN)/python tests/browser/find_chromium.py` && export CHROMIUM && \
	$(BIN)/python -m polyak_widgets.share.lecture.files --host "$(HOST)" --port "$(PORT)"

static: $(VENV)/installed-app-static
	POLYAK_PYODIDE_DIR="$(PYODIDE)" $(BIN)/python -m polyak_widgets.page.static.build

lint: $(VENV)/installed-app-lab-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/codespell
	@if [ -n "$(NOTEBOOKS)" ]; then echo nbstripout --verify --keep-id $(NOTEBOOKS); $(BIN)/nbstripout --verify --keep-id $(NOTEBOOKS); fi

docs: $(VENV)/installed-app-docs
	$(BIN)/python docs/site/make_site.py

review: $(VENV)/installed-review
	$(BIN)/python tests/review.py

figures: $(VENV)/installed-app-figures
	@CHROMIUM=`$(BIN)/python tests/browser/find_chromium.py` && export CHROMIUM && \
	$(BIN)/python -m polyak_widgets.paper.figure_files $(FIGURES)

bench: $(VENV)/installed-app-bench
	$(BIN)/python benchmarks/run.py $(BENCH_ARGS)

# How soon the page is there and follows a slider, against an echo and plotly's FigureWidget, and the page without a server
# beside it, into benchmarks/README.md. Where Pyodide is not to be had the latter is left out.
bench-page: $(VENV)/installed-app-static-bench
	@CHROMIUM=`$(BIN)/python tests/browser/find_chromium.py` && export CHROMIUM && rm -rf build/static && \
	{ POLYAK_PYODIDE_DIR="$(PYODIDE)" $(BIN)/python -m polyak_widgets.page.static.build || true; } && \
	$(BIN)/python benchmarks/page.py $(BENCH_ARGS)

# Is this checkout slower than another revision? Both are measured alternately, in one run.
bench-compare: $(VENV)/installed-app-bench
	@test -n "$(REV)" || { echo "Name the revision: make bench-compare REV=main" >&2; exit 1; }
	$(BIN)/python benchmarks/compare.py $(REV) $(BENCH_ARGS)

# The name of a stamp lists the extras that .venv has: installed-app-lab holds `app` and `lab`.
$(VENV)/installed-%: $(INPUTS) | $(VENV)/pyvenv.cfg
	@sh .make/install.sh $(VENV) $* && touch $@

$(VENV)/pyvenv.cfg:
	@sh .make/new_venv.sh $(VENV) $(PYTHON)
