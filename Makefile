# All targets of the project. `make help` lists them; plain `make` checks, builds and tests.

# Set variables after the target, as in `make run PORT=9000`. The environment sets only RETRY and the test parallelism below:
# shells often use HOST and PORT for other purposes.

# Address, port and data directory of the server that `make run` starts.
HOST = 127.0.0.1
PORT = 8080
DATA = ./data

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

# How many rounds `make powercut`, `make crash` and `make consistency` go, each with a server of its own.
ROUNDS = 10

# How many seconds `make fuzz` gives each reader, and how many mutated requests it sends to a running server; `make soak`
# takes 3,600 unless told otherwise.
SECONDS = 60
REQUESTS = 1000000

# So many of them go to a server with the address sanitizer, the others to the one that is released.
SANITIZED = $(shell expr $(REQUESTS) / 5)

# The example applications that `make examples` runs.
EXAMPLES = Forum Goods Calendar CleanUp TypedPosts

# DEPENDENCIES=libraries checks only for the libraries of `make build`, as the container build does.
DEPENDENCIES =

# The name of the image that `make docker` builds.
IMAGE = fogbase

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
# All optimized builds of the server. The flags are not in the manifest, so that apps with the client do not get them.
RELEASE = swift build -c release $(STATIC) --product $(PRODUCT) $(COMPILE) $(PLACE)
# Optimized, with the address sanitizer and the checks of debug builds, also in inlined code of the standard library (such as
# the index of an unsafe buffer).
CHECKED = -c release --sanitize=address -Xswiftc -assert-config -Xswiftc Debug
# The compiler uses the last of several -sanitize flags.
FUZZ = FOGBASE_FUZZ=1 swift build $(CHECKED) --scratch-path .build/fuzz --product fuzz \
	-Xswiftc -sanitize=address,fuzzer -Xswiftc -parse-as-library -Xswiftc -use-ld=lld
FUZZ_SERVER = swift build $(CHECKED) --scratch-path .build/fuzz-server --product fogbase
TSAN = --scratch-path .build/tsan --sanitize=thread -Xswiftc -DTHREAD_SANITIZER
ASAN = --scratch-path .build/asan --sanitize=address
# `swift test`, of whose output a person sees what failed, and a file has the whole.
SWIFT_TEST = python3 Tests/SwiftTest/run.py
SWIFT_FILES = Sources Tests Package.swift

# Output and input of `make docs`.
DOCS = .build/docs
MODULES = $$(swift build --show-bin-path)/Modules
TRIPLE = $$(swift -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')

.PHONY: all help deps build run test oracle lint docs format tsan asan browser test-browser examples order compare bench bench-peers plots page powercut crash backup-test consistency abuse fuzz soak docker clean
.NOTPARALLEL:
.DEFAULT_GOAL := all

all: lint build test ## check, build and test (the default)

help: ## list the verbs
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1|\2/p' Makefile | awk -F'|' '{ printf "make %-12s %s\n", $$1, $$2 }'

deps: ## install missing system libraries (Debian, Ubuntu) and check for Swift
	@sh docker/dependencies.sh $(DEPENDENCIES)

build: deps ## build the optimized server: .build/release/fogbase
	$(RELEASE)

run: build ## build and start the server (HOST, PORT, DATA)
	.build/release/fogbase serve --host '$(HOST)' --port '$(PORT)' --data '$(DATA)' --public Public

test: ## run the tests (FILTER=name runs some, RETRY=1 repeats failed suites)
	@sh docker/dependencies.sh tests
	swift build --build-tests
	$(SWIFT_TEST) --log .build/test.log --skip-build $(FILTERED)

oracle: deps ## compare random queries with a naive implementation (CASES, SEED)
	swift build --build-tests
	FOGBASE_ORACLE_CASES='$(CASES)' FOGBASE_ORACLE_SEED='$(SEED)' swift test --skip-build --filter QueryOracleTests

lint: deps ## check format, line width, module dependencies, links and documentation
	swift format lint --strict --recursive $(SWIFT_FILES)
	python3 Tests/lint/test_arrows.py
	python3 Tests/lint/arrows.py
	python3 Tests/lint/test_seams.py
	python3 Tests/lint/seams.py
	python3 Tests/lint/test_columns.py
	python3 Tests/lint/columns.py
	python3 Tests/lint/test_docstrings.py
	python3 Tests/lint/docstrings.py
	python3 Tests/lint/test_links.py
	python3 Tests/lint/links.py
	python3 Tests/lint/test_makefile.py
	python3 Tests/lint/test_manifest.py

docs: deps ## build the manuals of server and Swift client in .build/docs; broken links are errors
	swift build --target FogbaseClient
	rm -rf $(DOCS) && mkdir -p $(DOCS)/symbols
	swift symbolgraph-extract -module-name FogbaseClient -I $(MODULES) -target $(TRIPLE) -output-dir $(DOCS)/symbols \
		-minimum-access-level public -experimental-allowed-reexported-modules=RecordModel -skip-inherited-docs
	python3 Tests/lint/docc_links.py Sources/FogbaseClient/FogbaseClient.docc $(DOCS)/FogbaseClient.docc
	python3 Tests/lint/docc_links.py Sources/fogbase/fogbase.docc $(DOCS)/fogbase.docc
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
	python3 Tests/Browser/console.py

test-browser: browser ## test the console and the example forum in headless Chromium (needs the same)
	swift build --product ForumExample
	python3 Tests/Browser/forum.py

examples: deps ## run the example apps of the Swift client with their own server
	swift build --product fogbase
	for name in $(EXAMPLES); do swift build --product "$${name}Example" || exit 1; done
	python3 Tests/Examples/run.py $(EXAMPLES)

order: deps ## find out in which order requests call the server's functions, and have the linker place them so
	$(RELEASE) -Xlinker -Map=.build/functions.map
	python3 Tests/Bench/function_order.py --map .build/functions.map
	$(RELEASE)

compare: build ## compare this build with others, by the cycles and the time that loads take (BUILDS='old/fogbase …', KINDS=read,…)
	python3 Tests/Bench/compare.py $(BUILDS) .build/release/fogbase $(if $(KINDS),--kinds '$(KINDS)')

bench: build ## measure the server beside nginx and bare SQLite (.bench/bench.jsonl; SIZES='1000 … 10000000' for more records)
	mkdir -p .bench
	python3 Tests/Bench/test_bench.py
	python3 Tests/Bench/bench.py --json .bench/bench.jsonl $(if $(SIZES),--sizes $(SIZES))

bench-peers: build ## the same durable work on Kinto with PostgreSQL and FastAPI with SQLite (.bench/peers.jsonl)
	mkdir -p .bench
	python3 Tests/Bench/peers/test_peers.py
	python3 Tests/Bench/peers/peers.py --json .bench/peers.jsonl

plots: ## draw what bench and bench-peers have measured, as PNG and SVG, into .bench/plots
	python3 Tests/Bench/plots.py --install $(MEASURED)

page: ## write the page of benchmarks, and its curves, from what bench and bench-peers have measured
	python3 Tests/Bench/plots.py --install --resources Sources/fogbase/fogbase.docc/Resources $(MEASURED)
	python3 Tests/Bench/page.py --keep $(MEASURED)

powercut: build ## cut the power under the server, on paper, and look for what was acknowledged (ROUNDS)
	python3 Tests/PowerCut/test_survivors.py
	python3 Tests/PowerCut/powercut.py --rounds '$(ROUNDS)'

crash: build ## end the server in every way under 32 writers, and look for what was acknowledged (ROUNDS)
	python3 Tests/Crash/test_crash.py
	python3 Tests/Crash/test_findings.py
	python3 Tests/Crash/crash.py --rounds '$(ROUNDS)'
	python3 Tests/Crash/large.py

backup-test: ROUNDS = 20
backup-test: build ## make backups beside 32 writers, kill some, and compare each restored copy with what was acknowledged (ROUNDS)
	python3 Tests/Backup/test_backup.py
	python3 Tests/Backup/backup.py --rounds '$(ROUNDS)'

consistency: build ## let many clients work on one server, and judge together what they were told (ROUNDS)
	python3 Tests/Consistency/test_checkers.py
	python3 Tests/Consistency/test_lies.py
	python3 Tests/Consistency/consistency.py --rounds '$(ROUNDS)'

abuse: build ## attack the server in every way we know, with a good client measured beside
	python3 Tests/Abuse/selftest.py
	python3 Tests/Abuse/abuse.py

fuzz: build ## feed mutated bytes to all readers, and mutated requests to a server (SECONDS, REQUESTS, SANITIZED)
	$(FUZZ)
	$(FUZZ_SERVER)
	python3 Tests/Fuzz/test_fuzz.py
	python3 Tests/Fuzz/fuzz.py --seconds '$(SECONDS)'
	python3 Tests/Fuzz/requests.py --requests '$(SANITIZED)' --sanitized --binary .build/fuzz-server/release/fogbase
	python3 Tests/Fuzz/requests.py --requests "$$(expr $(REQUESTS) - $(SANITIZED))"

soak: SECONDS = 3600
soak: build ## an hour of mixed load: memory stays flat, and nothing fails (SECONDS)
	python3 Tests/Soak/test_soak.py
	python3 Tests/Soak/soak.py --seconds '$(SECONDS)'

docker: ## build the container image (IMAGE)
	docker build --file docker/Dockerfile --tag '$(IMAGE)' .

clean: ## remove build output, never data
	rm -rf .build .bench .powercut .crash .backup .consistency .abuse .fuzz .soak
