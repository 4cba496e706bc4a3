# The two main commands: `make demo` shows what Pigeon does, and `make test` runs all tests.
# Each command installs what it needs, and prints what it installs. CommandsTests compares these needs with what the command runs.

.PHONY: demo github-browser gateway devtools devtools-check test test-library simulate mutants apple-test apple-check api-check consumers docs tsan bench bench-guard bench-peers load rigs redis-tls lint format hooks setup clean

# The sources that `swift format` checks.
FORMATTED = Package.swift Sources Tests Examples/Package.swift Examples/Cards.swiftpm Examples/Sources Examples/Tests \
	Benchmarks/Package.swift Benchmarks/Sources Benchmarks/Peers/Package.swift Benchmarks/Peers/Sources \
	Rigs/Package.swift Rigs/Sources

# Suites that compute for a long time on one thread. They would occupy the pool's threads until other tests exceed their time limits.
TSAN_SKIPPED = 'SimulationTests|DateTests|PatternTests'
TSAN = --sanitize=thread -Xswiftc -DPIGEON_TSAN --scratch-path .build-tsan

# The tests run with all traits: with both of PigeonHTTP's transports, the devtools, hiredis and what servers need. The examples
# are built without the second transport, which compiles for minutes, as most users build. Their tests
# run one at a time, because they run whole programs, some of which depend on delays of a few milliseconds.
TRAITS = --traits default,AsyncHTTPClient,Devtools,Redis,Server

# A test that hangs must be named in the output, long before CI gives up. Few tests run at a time, so that none exceeds its time limit
# while it waits for the others.
TEST = SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6 ./scripts/test-within 20 swift test

# The benchmarks and the rigs use the same optimized modules, which are built once for all of them. Each needs a plan of its
# own, or SwiftPM would build what was built there before.
PROGRAMS = -c release --scratch-path .build-programs --disable-build-manifest-caching

# Without data for debuggers, which nothing here uses and which take long to write and to link.
FAST = -debug-info-format none

EXAMPLES = --package-path Examples $(FAST)

demo:
	@./scripts/setup sqlite
	@swift run $(EXAMPLES) demo

# Interactive in a terminal; with output to a pipe, it plays a script.
github-browser:
	@./scripts/setup sqlite
	@if [ -t 0 ] && [ -t 1 ]; then \
		swift run $(EXAMPLES) github-browser; \
	else \
		swift run $(EXAMPLES) github-browser --script Examples/Scripts/github-story.txt --size 72x14; \
	fi

# A client that polls, fails, changes and pages, and the address of its devtools. `PORT=8080` chooses the port.
devtools:
	@./scripts/setup sqlite
	@swift run $(EXAMPLES) devtools-world $(if $(PORT),--port $(PORT))

# Three processes of a gateway with a Redis and two services, all under load, of which one part after the other is killed.
gateway:
	@./scripts/setup sqlite hiredis zlib redis python3
	./scripts/build-without-warnings -c release $(EXAMPLES) --product gateway
	./scripts/gateway Examples/.build/release/gateway

# Checks the page of the devtools in Chromium.
devtools-check:
	@./scripts/setup sqlite python3 venv node chromium
	./scripts/devtools-check

test: lint test-library
	@./scripts/setup sqlite hiredis zlib python3
	./scripts/build-without-warnings --build-tests $(EXAMPLES)
	$(TEST) --package-path Examples --skip-build --no-parallel
	$(MAKE) apple-test
	$(MAKE) consumers

# The library without the examples: the part of `make test` that a Mac can run. There, it also tests views in a window.
test-library:
	@./scripts/setup sqlite hiredis zlib redis python3
	./scripts/build-without-warnings --build-tests $(TRAITS) $(FAST)
	$(TEST) --skip-build $(TRAITS)

# Simulates whole programs for the given time, with different seeds each time: `make simulate MINUTES=60`. A failure prints its seed
# and the shortest list of operations that causes it. `SEED=7` begins with that seed.
MINUTES ?= 10
simulate:
	@./scripts/setup sqlite hiredis zlib
	PIGEON_SIMULATE_MINUTES=$(MINUTES) PIGEON_SIMULATE_SEED=$(SEED) swift test $(TRAITS) --filter 'SimulationTests|InterleavedTests'

# Breaks the engine on purpose, one place at a time, and lists the breaks that no test detects. `ONLY=E1` runs the breaks whose names
# contain that text. `SEEDS=40` runs more seeds in each part of the simulation.
SEEDS ?= 15
mutants:
	@./scripts/setup python3
	./scripts/mutants --seeds $(SEEDS) $(if $(ONLY),"$(ONLY)")

# Builds and tests the code for Apple's platforms against stand-ins for their frameworks, as on iOS.
apple-test:
	@./scripts/setup sqlite python3
	PIGEON_APPLE_CHECK=1 ./scripts/build-without-warnings --build-tests --scratch-path .build-apple $(FAST)
	PIGEON_APPLE_CHECK=1 $(TEST) --scratch-path .build-apple --skip-build

# Does the same as on macOS, which needs a folder of its own, or `canImport` would find the frameworks of the other. Then compiles
# all of it once more as for each system, which checks the conditions (`os(iOS)`, `canImport(Combine)`) and availability.
apple-check: apple-test
	@./scripts/setup sqlite python3
	PIGEON_APPLE_CHECK=macos ./scripts/build-without-warnings --product PigeonPackageTests --scratch-path .build-macos $(FAST)
	PIGEON_APPLE_CHECK=macos $(TEST) --scratch-path .build-macos --skip-build
	./scripts/typecheck-apple iOS macOS tvOS watchOS

# Lists what a program fetches that depends on one of the products, and fails if that is not what README promises.
consumers:
	@./scripts/setup python3
	./scripts/consumers

# Compares the public API with the last release, and fails if code that used it no longer builds.
api-check:
	@./scripts/setup sqlite hiredis zlib
	./scripts/check-api

# Builds the documentation as a static site in .build-docs/site.
docs:
	@./scripts/setup sqlite hiredis zlib
	./scripts/docs

tsan:
	@./scripts/setup sqlite python3
	PIGEON_TSAN=1 ./scripts/build-without-warnings --product PigeonPackageTests $(TSAN) $(FAST)
	TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/scripts/tsan-suppressions" PIGEON_SEEDS=10 PIGEON_TSAN=1 \
		$(TEST) --skip-build $(TSAN) --skip $(TSAN_SKIPPED)

bench:
	@./scripts/setup sqlite hiredis zlib redis
	./scripts/build-without-warnings --package-path Benchmarks $(PROGRAMS) $(FAST) --product bench
	.build-programs/release/bench $(if $(ONLY),--only $(ONLY),--write Benchmarks/RESULTS.md)

# Fails if an operation makes more calls than Benchmarks/COUNTS.md says, or if its time grows faster. `WRITE=1` writes the file.
bench-guard:
	@./scripts/setup sqlite hiredis zlib
	./scripts/build-without-warnings --package-path Benchmarks $(PROGRAMS) $(FAST)
	./scripts/build-without-warnings --package-path Benchmarks/Peers $(PROGRAMS) $(FAST)
	clang -shared -fPIC -O2 -Wl,-z,initfirst -o .build-programs/counting.so Benchmarks/Counting/counting.c
	.build-programs/release/bench guard --counting .build-programs/counting.so $(if $(WRITE),--write)

# Measures Pigeon beside the libraries that are given by environment variables: Benchmarks/README.md.
bench-peers:
	@./scripts/setup sqlite
	./scripts/build-without-warnings --package-path Benchmarks/Peers $(PROGRAMS) $(FAST)
	.build-programs/release/peers

# Measures a service and a fleet of four under load, for three minutes. `MINUTES=10` watches its memory for longer.
load:
	@./scripts/setup sqlite hiredis zlib redis wrk
	./scripts/build-without-warnings --package-path Benchmarks $(PROGRAMS) $(FAST) --product load
	.build-programs/release/load $(if $(filter file,$(origin MINUTES)),,$(if $(MINUTES),--minutes $(MINUTES)))

# Tries to break the library from outside: kills writers, damages files, sends invalid responses. By default, all rigs together take
# four minutes; `MINUTES=60 make rigs` runs longer. `SEED=7` repeats a run. Rigs/README.md describes each rig.
rigs:
	@./scripts/setup sqlite hiredis zlib redis openssl
	./scripts/build-without-warnings --package-path Rigs $(PROGRAMS) $(FAST)
	.build-programs/release/rigs all --minutes $(if $(filter file,$(origin MINUTES)),4,$(MINUTES)) $(if $(SEED),--seed $(SEED))

# Runs the tests of PigeonRedis over TLS, with a newer hiredis than Debian's.
redis-tls:
	@./scripts/setup sqlite zlib redis openssl libssl
	./scripts/redis-tls

lint:
	@./scripts/setup python3
	swift format lint --strict --recursive --parallel $(FORMATTED)
	./scripts/lint-apple
	./scripts/lint-imports
	./scripts/lint-vocabulary
	./scripts/lint-widths
	./scripts/run-workflow --check
	@./scripts/mutants --list >/dev/null
	@# Its operation leaves the caller's actor: see withCancellationHandler.
	@! grep -rl withTaskCancellationHandler Sources --include='*.swift' | grep -v Sources/PigeonBase/Launching.swift

format:
	swift format --in-place --recursive --parallel $(FORMATTED)

# Installs a git hook that lints each commit. It is a link, so the hook is always the version in the checkout.
hooks:
	ln -sf ../../scripts/pre-commit "$$(git rev-parse --git-common-dir)/hooks/pre-commit"

# What `make test` needs.
setup:
	@./scripts/setup sqlite hiredis zlib redis python3

clean:
	rm -rf .build .build-apple .build-devtools .build-docs .build-macos .build-mutants .build-programs .build-tsan Examples/.build Benchmarks/.build Benchmarks/Peers/.build
