# Cubby's front door. The build itself is Meson's; CONTRIBUTING.md says more.

BUILD = build
SANITIZE = $(BUILD)/asan
TSAN = $(BUILD)/tsan
FUZZ = $(BUILD)/fuzz
PREFIX ?= /usr/local
DESTDIR ?=

# Debian's Meson before any other: it brings an interpreter that works. Looked up when it is used, for the set-up may
# just have installed it.
MESON = $$(command -v /usr/bin/meson || echo meson)

.PHONY: help run bench bench-full test sanitize tsan soak limits fuzz fuzz-corpus conformance newer-python check format install clean build
.PHONY: setup-run setup-test setup-check setup-conformance setup-newer
# Ninja uses all cores by itself; the set-up must not run twice at once.
.NOTPARALLEL:

help:
	@echo 'Cubby: memory for language runtimes'
	@echo
	@echo '  make run        build, and show what Cubby does for Python, in under a minute'
	@echo '  make test       build, and run all tests'
	@echo '  make bench      the benchmarks of 2016 as well, in short; in under ten minutes'
	@echo '  make bench-full  the same at full length, over some hours; goes on where it was interrupted'
	@echo '  make check      format, warnings, clang-tidy, cppcheck, include arrows, exported symbols'
	@echo '  make sanitize   all tests under AddressSanitizer and UndefinedBehaviorSanitizer'
	@echo '  make tsan       the tests with threads under ThreadSanitizer'
	@echo '  make soak       peaks and troughs of memory for ten minutes; SECONDS=N for another time'
	@echo '  make limits     real strict overcommit and control groups, for a minute or two; root only'
	@echo '  make fuzz       inputs that nobody thought of, a minute each kind; SECONDS=N for another time'
	@echo "  make conformance  CPython's own tests on Cubby, against stock; PART=ci for a part of them"
	@echo '  make newer-python  build CPython 3.13, 3.13 without its lock, and 3.14 where it can be had, for the tests'
	@echo '  make format     lay out the code'
	@echo '  make install    install into PREFIX ($(PREFIX)), below DESTDIR if given'
	@echo '  make clean      remove $(BUILD)/'
	@echo
	@echo 'On Debian each of them installs the packages that it lacks, with root or sudo.'

run: build
	@$(BUILD)/cubby bench seeds --quick

# A piece of everything, to show the direction: under ten minutes on two cores, as each part says of itself beforehand.
# Of the many rows of 2016 with some arms only; `cubby bench gupb --quick` has them all.
bench: build
	@echo 'Three experiments in their quick forms, under ten minutes in all; each says beforehand how long it takes.'
	@$(BUILD)/cubby bench seeds --quick
	@echo
	@$(BUILD)/cubby bench gupb --quick --arms=list-libc,cubby,mimalloc
	@echo
	@$(BUILD)/cubby bench pybench --quick --arms=list-libc,cubby

# The same at full length, over some hours. It may be interrupted, and goes on where it was.
bench-full: build
	@echo 'Three experiments at full length, over some hours; each says beforehand how long it takes. An interrupted one'
	@echo 'goes on from $(BUILD)/gupb.pairs and $(BUILD)/pybench.pairs.'
	@$(BUILD)/cubby bench seeds --json=$(BUILD)/seeds.json
	@echo
	@$(BUILD)/cubby bench gupb --width=1 --resume=$(BUILD)/gupb.pairs --json=$(BUILD)/gupb.json
	@echo
	@$(BUILD)/cubby bench pybench --width=1 --resume=$(BUILD)/pybench.pairs --json=$(BUILD)/pybench.json

test: setup-test $(BUILD)/.with-tests
	@ninja -C $(BUILD)
	@tools/run-tests $(BUILD) test

sanitize: setup-test $(SANITIZE)/build.ninja
	@ninja -C $(SANITIZE)
	@tools/run-tests $(SANITIZE) sanitize

# ThreadSanitizer wants its own place in the address space, which randomised addresses may take.
tsan: setup-test $(TSAN)/build.ninja
	@ninja -C $(TSAN)
	@setarch -R tools/run-tests $(TSAN) tsan --suite threads

soak: SECONDS ?= 600
soak: setup-test $(BUILD)/.with-tests
	@ninja -C $(BUILD)
	@CUBBY_TEST_SOAK=$(SECONDS) $(BUILD)/tests/heap-soak_test

# Changes settings of the whole system for some seconds each, so whatever else runs feels it.
limits: setup-test $(BUILD)/.with-tests
	@ninja -C $(BUILD)
	@/usr/bin/python3 tests/limits/system_test.py $(BUILD)/adapters/python/libcubby-python.so $(BUILD)/tests/limits/limits-program

# Each target ends at once when it finds something, and leaves the input in build/fuzz. libFuzzer tells of each input that
# reaches new code; that is kept out of sight, and the rest shown when there is something to tell.
fuzz: SECONDS ?= 60
fuzz: setup-check $(FUZZ)/build.ninja
	@ninja -C $(FUZZ)
	@for corpus in fuzz/corpus/*; do \
		name=$${corpus##*/}; log=$(FUZZ)/$$name.log; mkdir -p $(FUZZ)/found/$$name; \
		echo "fuzz $$name, $(SECONDS) s"; \
		if $(FUZZ)/fuzz/fuzz-$$name -max_total_time=$(SECONDS) -max_len=4096 -print_final_stats=1 \
			-artifact_prefix=$(FUZZ)/$$name- $(FUZZ)/found/$$name $$corpus >$$log 2>&1; \
		then grep number_of_executed_units $$log; \
		else grep -vE '^(#[0-9]|INFO:|[[:space:]]*NEW_FUNC)' $$log | tail -n 60; exit 1; fi; \
	done

# What reaches code that the corpus does not reach yet is added to it.
fuzz-corpus: fuzz
	@for corpus in fuzz/corpus/*; do \
		name=$${corpus##*/}; $(FUZZ)/fuzz/fuzz-$$name -merge=1 -max_len=4096 $$corpus $(FUZZ)/found/$$name || exit 1; \
	done

# PART=ci is what a change must pass; without it this takes an hour or so.
conformance: setup-conformance build
	@tools/conformance --adapter=$(BUILD)/adapters/python/libcubby-python.so --save=$(BUILD)/counts.conformance \
		--output=$(BUILD)/conformance $(if $(PART),--part=$(PART))

# 3.14 is in Debian's moving suites only, and may not be had.
newer-python: setup-newer
	@tools/newer-python 3.13 $(BUILD)
	@tools/newer-python --free-threaded 3.13 $(BUILD)
	-@tools/newer-python 3.14 $(BUILD)

check: setup-check
	@tools/check

format: setup-check
	@find include src adapters cli lab examples fuzz tests -name '*.[ch]' -exec clang-format -i {} +

# The command knows where its adapter is installed, so a new prefix is a new build of it.
install: build
	@test "$$(cat $(BUILD)/.prefix)" = '$(PREFIX)' || \
		{ $(MESON) configure $(BUILD) --prefix='$(PREFIX)' && echo '$(PREFIX)' >$(BUILD)/.prefix; }
	@ninja -C $(BUILD)
	@DESTDIR='$(DESTDIR)' $(MESON) install -C $(BUILD) --no-rebuild
	@test -n '$(DESTDIR)' -o "$$(id -u)" -ne 0 || /sbin/ldconfig

clean:
	rm -rf $(BUILD)

setup-run setup-test setup-check setup-conformance setup-newer: setup-%:
	@tools/setup $*

build: setup-run $(BUILD)/build.ninja
	@ninja -C $(BUILD)

# A fresh tree is configured once; Ninja sees to later changes of the build files by itself.
$(BUILD)/build.ninja: | setup-run
	@$(MESON) setup $(BUILD) --prefix='$(PREFIX)' -Dtests=disabled
	@echo '$(PREFIX)' >$(BUILD)/.prefix

# `make run` needs no tests, and none of the packages that they need.
$(BUILD)/.with-tests: | setup-test $(BUILD)/build.ninja
	@$(MESON) configure $(BUILD) -Dtests=enabled
	@touch $@

# -O1 keeps the reports readable and the suite short. Assertions are on.
$(SANITIZE)/build.ninja: | setup-test
	@$(MESON) setup $(SANITIZE) -Dtests=enabled -Dbuildtype=debug -Doptimization=1 -Db_ndebug=false \
		-Db_sanitize=address,undefined

$(TSAN)/build.ninja: | setup-test
	@$(MESON) setup $(TSAN) -Dtests=enabled -Dcli=disabled -Dpython=disabled -Dbuildtype=debug -Doptimization=1 \
		-Db_ndebug=false -Db_sanitize=thread -Db_lundef=false

# libFuzzer needs clang, and all code compiled for it.
$(FUZZ)/build.ninja: | setup-check
	@CC=clang $(MESON) setup $(FUZZ) -Dfuzz=true -Dtests=disabled -Dcli=disabled -Dpython=disabled -Dbuildtype=debug \
		-Doptimization=1 -Db_ndebug=false -Db_sanitize=address,undefined -Db_lundef=false \
		-Dc_args=-fsanitize=fuzzer-no-link
