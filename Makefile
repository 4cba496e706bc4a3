# Two commands are all there is to know: `make demo` shows what Pigeon does, `make test` passes all tests.
# Each installs what it needs, and says what.

.PHONY: demo github-browser test simulate mutants apple-check docs tsan bench rigs lint format hooks setup clean

# The sources that `swift format` looks at.
FORMATTED = Package.swift Sources Tests Examples/Package.swift Examples/Cards.swiftpm Examples/Sources Examples/Tests \
	Benchmarks/Package.swift Benchmarks/Sources Rigs/Package.swift Rigs/Sources

# The suites that exercise the engine from many threads, without those that compute for long on one: these would keep the others
# from the pool's threads until their time limits strike. For the same reason, few tests run at a time.
TSAN_SUITES = 'PigeonCoreTests|PigeonTestingTests|PigeonTests|PigeonSQLiteTests|PigeonHTTPTests|PigeonStoreTests|PigeonRESTTests'
TSAN_SKIPPED = 'SimulationTests|DateTests|PatternTests'

# The tests run with both of PigeonHTTP's transports; the examples are built as most users build, without the second.
# Their tests run one at a time: they play whole programs, some of which show what happens within some milliseconds.
TRAITS = --traits AsyncHTTPClient

demo: setup
	@swift run --package-path Examples demo

# At a terminal, to be browsed; into a pipe, as a story.
github-browser: setup
	@if [ -t 0 ] && [ -t 1 ]; then \
		swift run --package-path Examples github-browser; \
	else \
		swift run --package-path Examples github-browser --script Examples/Scripts/github-story.txt --size 72x14; \
	fi

test: setup lint
	./scripts/build-without-warnings $(TRAITS)
	swift test --skip-build $(TRAITS)
	./scripts/build-without-warnings --package-path Examples
	swift test --package-path Examples --skip-build --no-parallel
	swift build -c release --package-path Benchmarks
	$(MAKE) apple-check

# Simulates whole programs for as long as it is told, with other seeds each time: `make simulate MINUTES=60`. A failure prints
# its seed and the fewest operations that lead to it. `SEED=7` begins with that seed.
MINUTES ?= 10
simulate: setup
	PIGEON_SIMULATE_MINUTES=$(MINUTES) PIGEON_SIMULATE_SEED=$(SEED) swift test $(TRAITS) --filter 'SimulationTests|InterleavedTests'

# Breaks the engine on purpose, one place at a time, and names the breaks that no test notices. `ONLY=E1` runs those whose names
# contain a text. `SEEDS=40` looks longer in each part of the simulation.
SEEDS ?= 15
mutants: setup
	./scripts/mutants --seeds $(SEEDS) $(if $(ONLY),"$(ONLY)")

# Code for Apple's platforms, against stand-ins of their frameworks: with its tests as on a phone, and compiled as on a Mac.
apple-check: setup
	PIGEON_APPLE_CHECK=1 ./scripts/build-without-warnings --scratch-path .build-apple
	PIGEON_APPLE_CHECK=1 swift test --scratch-path .build-apple --skip-build
	PIGEON_APPLE_CHECK=macos ./scripts/build-without-warnings --scratch-path .build-macos

# The documentation, as a site of static pages in .build-docs/site.
docs: setup
	./scripts/docs

tsan: setup
	TSAN_OPTIONS="halt_on_error=1 suppressions=$(CURDIR)/scripts/tsan-suppressions" PIGEON_SEEDS=10 \
		SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=6 swift test --sanitize=thread -Xswiftc -DPIGEON_TSAN --scratch-path .build-tsan \
		--filter $(TSAN_SUITES) --skip $(TSAN_SKIPPED)

bench: setup
	swift run -c release --package-path Benchmarks bench --write Benchmarks/RESULTS.md

# Tries to break the library from outside: kills writers, damages files, answers badly. `MINUTES=60 make rigs` looks longer, and
# `SEED=7` repeats a run; without, they take four minutes. Rigs/README.md says what each rig does.
rigs: setup
	./scripts/build-without-warnings --package-path Rigs
	swift run --package-path Rigs --skip-build rigs all --minutes $(if $(filter file,$(origin MINUTES)),4,$(MINUTES)) $(if $(SEED),--seed $(SEED))

lint:
	swift format lint --strict --recursive --parallel $(FORMATTED)

format:
	swift format --in-place --recursive --parallel $(FORMATTED)

# Has git lint what is committed. A link, so that the hook is always the one of the checkout.
hooks:
	ln -sf ../../scripts/pre-commit "$$(git rev-parse --git-common-dir)/hooks/pre-commit"

setup:
	@./scripts/setup

clean:
	rm -rf .build .build-apple .build-docs .build-macos .build-mutants .build-tsan Examples/.build Benchmarks/.build Rigs/.build
