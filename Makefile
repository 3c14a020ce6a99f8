# All targets of the project. `make help` lists them; plain `make` checks, builds and tests.

# Set variables after the target, as in `make run PORT=9000`. The environment sets only RETRY and the test parallelism below:
# shells often use HOST and PORT for other purposes.

# Address, port and data directory of the server that `make run` starts.
HOST = 127.0.0.1
PORT = 8080
DATA = ./data

# The web origins whose pages may read responses of the server that `make run` starts: pages on the developer's own machine,
# such as those of Vite. The program itself allows none by default. These are safe for a developer's server: no page of the web
# has such an origin, and no response to another origin is for a cookie. A configuration in ARGUMENTS or the environment
# replaces them.
ORIGINS = http://localhost:*,http://127.0.0.1:*,http://[::1]:*
OTHER_ORIGINS = $(findstring --config,$(ARGUMENTS))$(findstring --cors-origins,$(ARGUMENTS))$(FOGBASE_CONFIG)$(FOGBASE_CORS_ORIGINS)
ALLOWED = $(if $(ORIGINS),$(if $(OTHER_ORIGINS),,--cors-origins '$(ORIGINS)'))

# FILTER=HTTPTests, or a part of a test's name, limits `make test`, `make tsan` and `make asan`.
FILTER =
FILTERED = $(if $(FILTER),--filter '$(FILTER)')

# RETRY=1: `make test` runs failed suites again, one by one, and reports whether they are flaky. They still count as failed.
export RETRY ?=

# As many parallel tests as processors: with more, tests with timeouts fail.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= $(shell getconf _NPROCESSORS_ONLN)

# The number of random queries of `make oracle`, and the seed of the first ones.
CASES = 200000
SEED = 1

# The random histories of each test of `make thorough` that has such.
SEEDS = 50

# The rounds of `make crash`, `make powercut` and `make consistency`, each with a server of its own, and the seconds in which
# a server must be ready after a crash.
ROUNDS = 10
START_SECONDS = 2

# The rounds of `make streams` that run at the same time: each keeps about one processor busy.
AT_ONCE = 2

# The seconds of `make fuzz` for each parser, and the mutated requests that it sends to running servers: a fifth of them to
# a server with the address sanitizer. `make soak` takes 3,600 seconds by default.
SECONDS = 60
REQUESTS = 1000000
SANITIZED = $(shell expr $(REQUESTS) / 5)

# More options of a suite, such as ARGUMENTS='--seed 7', or of the server of `make run`, such as ARGUMENTS='--log-access json'.
ARGUMENTS =

# The example applications that `make examples` runs.
EXAMPLES = Forum Goods Calendar CleanUp TypedPosts CloudKit

# The verbs that `make at-once` runs. Those with limits of time need the machine alone.
VERBS = lint build build-tests

# DEPENDENCIES=libraries checks only for the libraries of `make build`, as the container build does.
DEPENDENCIES =

# BUILT=1: `make test-install` and `make test-docker` use the binary and the packages that `make dist deb wheel` left, such as
# those of a container with Swift.
BUILT =

# The name of the image that `make docker` builds, and the engine that builds it: the first that works.
IMAGE = fogbase
ENGINE = $(shell sh docker/engine.sh)
VERSION = $(shell sed -n 's/.*text = "\(.*\)"/\1/p' Sources/fogbase/Version.swift)

# The data sizes of `make bench`, in records; by default 1,000 to 1,000,000.
SIZES =

# The measurements for the benchmarks page.
MEASURED = $(wildcard .bench/bench.jsonl .bench/peers.jsonl)

# The product of `make build`: the server, or a program that `make bench` measures.
PRODUCT = fogbase
STATIC = --static-swift-stdlib
# Keep the compiler's static exclusivity checks. The dynamic ones, which debug builds and tests run, cost 3 % of a create.
COMPILE = -Xswiftc -enforce-exclusivity=unchecked
# Place functions in the order in which requests call them (`make order`): reads take 10 % less CPU. The linker needs one
# section per function for it.
PLACE = -Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -use-ld=lld \
	-Xlinker --symbol-ordering-file=$(CURDIR)/Sources/fogbase/function-order.txt -Xlinker --no-warn-symbol-ordering
# All optimized builds of the server. The flags are not in the manifest, so that apps with the client do not get them. With a
# scratch directory of its own, the server is built beside the tests: for most of this time, one processor has nothing to do.
RELEASE = swift build -c release --scratch-path .build/optimized $(STATIC) --product $(PRODUCT) $(COMPILE) $(PLACE)
# `.build/release`, where `swift build -c release` also puts it.
LINK_RELEASE = ln -sfn optimized/release .build/release
# Optimized, with the address sanitizer and the checks of debug builds, also in inlined code of the standard library (such as
# the index of an unsafe buffer).
CHECKED = -c release --sanitize=address -Xswiftc -assert-config -Xswiftc Debug
# The compiler uses the last of several -sanitize flags.
FUZZ = FOGBASE_FUZZ=1 swift build $(CHECKED) --scratch-path .build/fuzz --product fuzz \
	-Xswiftc -sanitize=address,fuzzer -Xswiftc -parse-as-library -Xswiftc -use-ld=lld
FUZZ_SERVER = swift build $(CHECKED) --scratch-path .build/fuzz-server --product fogbase
TSAN = --scratch-path .build/tsan --sanitize=thread -Xswiftc -DTHREAD_SANITIZER
ASAN = --scratch-path .build/asan --sanitize=address
# `swift test`: prints the failures, and writes the whole output to a file.
SWIFT_TEST = python3 -m Tests.swift_test
# The tests and what they need, which are not the programs of benchmarks.
BUILD_TESTS = swift build --product fogbasePackageTests
# Self tests of the test programs that take seconds, and those that take minutes as they run whole suites with faults.
SELF_TESTS = Tests.lint.test_arrows Tests.lint.test_seams Tests.lint.test_columns Tests.lint.test_docstrings \
	Tests.lint.test_links Tests.lint.test_makefile Tests.lint.test_manifest Tests.lint.test_package Tests.lint.test_words \
	Tests.lint.test_workflows
# The long ones first: several run at once.
HARNESS_TESTS = Tests.soak.test_soak Tests.bench.peers.test_peers Tests.crash.test_crash Tests.crash.test_regressions \
	Tests.powercut.test_disk_model Tests.fuzz.test_fuzz Tests.consistency.test_checks Tests.swift_test.test_swift_test \
	Tests.harness.test_rounds Tests.harness.test_self_tests Tests.bench.test_bench Tests.examples.test_push_receiver
FAULT_TESTS = Tests.crash.test_planted_faults Tests.backup.test_backup Tests.consistency.test_faults \
	Tests.streams.test_streams Tests.followers.test_followers Tests.transfers.test_transfers \
	Tests.upgrade.test_upgrade
SWIFT_FILES = Sources Tests Package.swift

# Output and input of `make docs`.
DOCS = .build/docs
MODULES = $$(swift build --show-bin-path)/Modules
TRIPLE = $$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')

.PHONY: all at-once help deps build run build-tests test test-live thorough oracle lint docs format tsan asan browser test-browser test-engines examples order check-order compare instructions bench bench-peers plots page test-harness test-faults crash powercut crash-large backup-test consistency streams followers transfers upgrade abuse fuzz fuzz-requests soak dist deb wheel docker test-install test-docker clean
.NOTPARALLEL:
.DEFAULT_GOAL := all

all: lint build test ## check, build and test (the default)

at-once: deps ## run some verbs at the same time (VERBS)
	python3 -m Tests.harness.at_once $(foreach verb,$(VERBS),'make $(verb)')

help: ## list the verbs
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{ printf "make %-13s %s\n", $$1, $$2 }'

deps: ## install missing system libraries (Debian, Ubuntu) and check for Swift
	@sh docker/dependencies.sh $(DEPENDENCIES)

build: deps ## build the optimized server: .build/release/fogbase
	@test -x .build/release/$(PRODUCT) || echo "Building $(PRODUCT) for the first time. This takes 5 to 10 minutes on two" \
		"processors, and 700 MB of disk. The line with the progress may stand still for two minutes."
	$(RELEASE)
	@$(LINK_RELEASE)

run: build ## build and start the server (HOST, PORT, DATA, ORIGINS, ARGUMENTS)
	.build/release/fogbase serve --host '$(HOST)' --port '$(PORT)' --data '$(DATA)' --public Public $(ALLOWED) $(ARGUMENTS)

build-tests: deps ## build the tests
	$(BUILD_TESTS)

test: ## run the tests (FILTER=name runs some, RETRY=1 repeats failed suites)
	@sh docker/dependencies.sh tests
	$(BUILD_TESTS)
	$(SWIFT_TEST) --log .build/test.log --skip-build $(FILTERED)

test-live: build ## test modules in Public with Node.js 20.19 or later: live updates, signing in, the console's words, rooms, filters, map and groups
	@sh docker/dependencies.sh node
	node --test Tests/live/*.test.js Tests/console/*.test.js

thorough: deps ## run the tests with many random histories and whole tables (SEEDS, FILTER)
	$(BUILD_TESTS)
	FOGBASE_SEEDS='$(SEEDS)' $(SWIFT_TEST) --log .build/thorough.log --skip-build $(FILTERED)

oracle: deps ## compare random queries with a naive implementation (CASES, SEED)
	$(BUILD_TESTS)
	FOGBASE_ORACLE_CASES='$(CASES)' FOGBASE_ORACLE_SEED='$(SEED)' swift test --skip-build --filter QueryOracleTests

lint: deps ## check format, line width, module dependencies, links and documentation
	swift format lint --strict --recursive $(SWIFT_FILES)
	python3 -m unittest $(SELF_TESTS)
	python3 -m Tests.lint.arrows
	python3 -m Tests.lint.seams
	python3 -m Tests.lint.columns
	python3 -m Tests.lint.docstrings
	python3 -m Tests.lint.words
	python3 -m Tests.lint.links

docs: deps ## build the manuals of server and Swift client in .build/docs; broken links are errors
	swift build --target FogbaseClient
	rm -rf $(DOCS) && mkdir -p $(DOCS)/symbols
	swift symbolgraph-extract -module-name FogbaseClient -I $(MODULES) -target $(TRIPLE) -output-dir $(DOCS)/symbols \
		-minimum-access-level public -experimental-allowed-reexported-modules=RecordModel -skip-inherited-docs
	python3 -m Tests.lint.docc_links Sources/FogbaseClient/FogbaseClient.docc $(DOCS)/FogbaseClient.docc
	python3 -m Tests.lint.docc_links Sources/fogbase/fogbase.docc $(DOCS)/fogbase.docc
	docc convert $(DOCS)/FogbaseClient.docc --additional-symbol-graph-dir $(DOCS)/symbols \
		--fallback-display-name FogbaseClient --fallback-bundle-identifier FogbaseClient --warnings-as-errors \
		--output-path $(DOCS)/FogbaseClient.doccarchive
	docc convert $(DOCS)/fogbase.docc --fallback-display-name fogbase --fallback-bundle-identifier fogbase \
		--warnings-as-errors --output-path $(DOCS)/fogbase.doccarchive
	@echo "python3 -m http.server --directory $(DOCS)/FogbaseClient.doccarchive serves them: /documentation/fogbaseclient/"
	@echo "python3 -m http.server --directory $(DOCS)/fogbase.doccarchive serves the server's: /documentation/fogbase/"

format: deps ## format all Swift files
	swift format --in-place --recursive $(SWIFT_FILES)

tsan: deps ## run the tests with the thread sanitizer (FILTER=name runs some)
	swift build $(TSAN) --build-tests
	TSAN_OPTIONS=suppressions='$(CURDIR)/Tests/lint/races.txt' \
		$(SWIFT_TEST) --log .build/tsan.log $(TSAN) --skip-build --disable-xctest $(FILTERED)

asan: deps ## run the tests with the address sanitizer (FILTER=name runs some)
	swift build $(ASAN) --build-tests
	ASAN_OPTIONS=suppressions='$(CURDIR)/Tests/lint/overreads.txt' LSAN_OPTIONS=suppressions='$(CURDIR)/Tests/lint/leaks.txt' \
		$(SWIFT_TEST) --log .build/asan.log --each-target $(ASAN) --skip-build --disable-xctest $(FILTERED)

browser: deps ## test the console in headless Chromium (needs chromium, chromium-driver, python3-selenium)
	swift build --product fogbase
	python3 -m Tests.browser.console $(ARGUMENTS)

test-browser: browser ## test the console and the example forum in headless Chromium (needs the same)
	swift build --product ForumExample
	python3 -m Tests.browser.forum $(ARGUMENTS)

test-engines: deps ## visit the console's rooms in WebKit and Firefox (needs webkit2gtk-driver, xvfb; firefox-esr, geckodriver)
	swift build --product fogbase
	python3 -m Tests.browser.engines $(ARGUMENTS)

examples: deps ## run the example apps of the Swift client and of CloudKit's protocol with their own server
	swift build --product fogbase
	for name in $(EXAMPLES); do swift build --product "$${name}Example" || exit 1; done
	python3 -m Tests.examples $(EXAMPLES)

order: deps ## find the order in which requests call the server's functions, and link them in it
	$(RELEASE) -Xlinker -Map=.build/functions.map
	python3 -m Tests.bench.function_order --map .build/functions.map
	$(RELEASE)
	@$(LINK_RELEASE)

check-order: build ## check that the binary has the functions that the linker's order names
	python3 -m Tests.bench.function_order --check

compare: build ## compare this build with others, by the cycles and the time that loads take (BUILDS='old/fogbase …', KINDS=read,…)
	python3 -m Tests.bench.compare $(BUILDS) .build/release/fogbase $(if $(KINDS),--kinds '$(KINDS)')

instructions: build ## count the instructions of requests in this build and in others (BUILDS='old/fogbase …', KINDS=read,…, ARGUMENTS)
	python3 -m Tests.bench.instructions $(BUILDS) .build/release/fogbase $(if $(KINDS),--kinds '$(KINDS)') $(ARGUMENTS)

bench: build ## measure the server against nginx and bare SQLite (.bench/bench.jsonl; SIZES='1000 … 10000000' for more records)
	mkdir -p .bench
	python3 -m unittest Tests.bench.test_bench
	python3 -m Tests.bench --json .bench/bench.jsonl $(if $(SIZES),--sizes $(SIZES)) $(ARGUMENTS)

bench-peers: build ## the same durable work on Kinto with PostgreSQL and FastAPI with SQLite (.bench/peers.jsonl)
	mkdir -p .bench
	python3 -m unittest Tests.bench.peers.test_peers Tests.examples.test_push_receiver
	python3 -m Tests.bench.peers --json .bench/peers.jsonl $(ARGUMENTS)

plots: ## draw what bench and bench-peers have measured, as PNG and SVG, into .bench/plots
	python3 -m Tests.bench.plots --install $(MEASURED)

page: ## write the page of benchmarks, and its curves, from what bench and bench-peers have measured
	python3 -m Tests.bench.plots --install --resources Sources/fogbase/fogbase.docc/Resources $(MEASURED)
	python3 -m Tests.bench.page --keep $(MEASURED)

test-harness: build ## run the self tests of the suites below
	python3 -m Tests.harness.self_tests $(HARNESS_TESTS)

test-faults: build ## plant faults in the suites below, which must find each of them (an hour)
	python3 -m unittest $(FAULT_TESTS)
	python3 -m Tests.abuse.check_planted_faults

crash: build ## end the server in every way under 32 writers, and check what was acknowledged (ROUNDS, START_SECONDS, ARGUMENTS)
	python3 -m Tests.crash --rounds '$(ROUNDS)' --start-seconds '$(START_SECONDS)' $(ARGUMENTS)

powercut: build ## simulate power cuts under 32 writers, and check what was acknowledged (ROUNDS, START_SECONDS, ARGUMENTS)
	python3 -m Tests.crash --kinds power --cuts 6 --work .powercut --rounds '$(ROUNDS)' --start-seconds '$(START_SECONDS)' \
		$(ARGUMENTS)

crash-large: build ## kill a server with a database of 1 GB, also in the build of an index (ARGUMENTS)
	python3 -m Tests.crash.large_database $(ARGUMENTS)

backup-test: ROUNDS = 20
backup-test: build ## make backups under 32 writers, kill some, and check each restored copy (ROUNDS, ARGUMENTS)
	python3 -m Tests.backup --rounds '$(ROUNDS)' $(ARGUMENTS)

streams: ROUNDS = 50
streams: build ## follow event streams and webhooks beside writers, revocations and kills, and compare (ROUNDS, AT_ONCE, ARGUMENTS)
	python3 -m Tests.streams --rounds '$(ROUNDS)' --at-once '$(AT_ONCE)' $(ARGUMENTS)
	python3 -m Tests.streams.webhooks --rounds "$$(expr '$(ROUNDS)' / 20 + 1)" --at-once '$(AT_ONCE)' $(ARGUMENTS)

followers: ROUNDS = 50
followers: build ## follow zones by CloudKit's changes beside writers who move, share and delete, and compare (ROUNDS, ARGUMENTS)
	python3 -m Tests.followers --rounds '$(ROUNDS)' $(ARGUMENTS)

transfers: ROWS = 100000
transfers: KILLS = 2
transfers: build ## import a table while the server is killed, export it, and compare (ROWS, KILLS, ARGUMENTS)
	python3 -m Tests.transfers --rows '$(ROWS)' --kills '$(KILLS)' $(ARGUMENTS)

upgrade: build ## upgrade a data directory of an older binary, compare, and go back (BEFORE=FILE, ARGUMENTS)
	@test -n '$(BEFORE)' || { echo 'BEFORE names the binary of an older version.'; exit 2; }
	python3 -m Tests.upgrade --before '$(BEFORE)' $(ARGUMENTS)

consistency: build ## run many clients on one server, and check together what it returned to them (ROUNDS, ARGUMENTS)
	python3 -m Tests.consistency --rounds '$(ROUNDS)' $(ARGUMENTS)

abuse: build ## attack the server in every known way while a good client is measured (ARGUMENTS)
	python3 -m Tests.abuse $(ARGUMENTS)

fuzz: build ## feed mutated bytes to all parsers, and mutated requests to servers (SECONDS, REQUESTS, SANITIZED)
	$(FUZZ)
	$(FUZZ_SERVER)
	python3 -m unittest Tests.fuzz.test_fuzz
	python3 -m Tests.fuzz.readers --seconds '$(SECONDS)'
	python3 -m Tests.fuzz.requests --requests '$(SANITIZED)' --sanitized --binary .build/fuzz-server/release/fogbase
	python3 -m Tests.fuzz.requests --requests "$$(expr $(REQUESTS) - $(SANITIZED))"

fuzz-requests: build ## send mutated requests to the released server alone (REQUESTS, ARGUMENTS)
	python3 -m Tests.fuzz.requests --requests '$(REQUESTS)' $(ARGUMENTS)

soak: SECONDS = 3600
soak: build ## an hour of mixed load: memory must not grow, and no request may fail (SECONDS, ARGUMENTS)
	python3 -m Tests.soak --seconds '$(SECONDS)' $(ARGUMENTS)

dist: build ## make a tarball of program, console, service, man page and completion, in .build/dist
	@sh docker/dependencies.sh package
	python3 docker/package tarball

deb: build ## make a Debian package, in .build/dist
	@sh docker/dependencies.sh package
	python3 docker/package deb

wheel: build ## make a Python wheel for pipx, in .build/dist
	@sh docker/dependencies.sh package
	python3 docker/package wheel

docker: ## build the container images, without and with thumbnails, by docker, podman or buildah (IMAGE, ENGINE)
	$(ENGINE) --file docker/Dockerfile --build-arg VERSION='$(VERSION)' --tag '$(IMAGE)' --tag '$(IMAGE):$(VERSION)' .
	$(ENGINE) --file docker/Dockerfile --build-arg VERSION='$(VERSION)' --target thumbnails \
		--tag '$(IMAGE):thumbnails' --tag '$(IMAGE):$(VERSION)-thumbnails' .

test-install: $(if $(BUILT),,build) ## install tarball, package and wheel in fresh Debian trees by the manual's commands (root; ARGUMENTS)
	python3 -m Tests.install $(if $(BUILT),--packages .build/dist) $(ARGUMENTS)

test-docker: $(if $(BUILT),,build) ## build the images and run them in containers, without a Docker engine (root; ARGUMENTS)
	python3 -m Tests.docker $(ARGUMENTS)

clean: ## remove build output, never data
	rm -rf .build .bench .powercut .crash .backup .consistency .streams .followers .transfers .upgrade .abuse .fuzz .soak
