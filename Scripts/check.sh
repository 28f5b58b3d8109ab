#!/usr/bin/env bash
# All checks of this repository, in the order in which they fail fastest. Stops at the first that fails.
# Needs: bash, git, openssl, python3, the headers of SQLite, those of libpq with a PostgreSQL server, Chromium with its driver, and a
# Swift 6.2 toolchain or later with `swift format`; on Linux, valgrind.
set -euo pipefail
cd "$(dirname "$0")/.."

step() { printf '\n== %s (%s s so far)\n' "$1" "$SECONDS"; }
fail() {
  printf 'check failed: %s\n' "$1" >&2
  exit 1
}

for tool in git openssl python3 swift; do
  command -v "$tool" >/dev/null || fail "$tool is not installed"
done
if [[ "$(uname)" == Linux ]]; then
  command -v valgrind >/dev/null || fail "valgrind is not installed"
fi
swift format --version >/dev/null || fail "swift format is not installed"
echo '#include <sqlite3.h>' | clang -E - >/dev/null 2>&1 || fail "the headers of SQLite (libsqlite3-dev) are not installed"

echo '#include <libpq-fe.h>' | clang $(pkg-config --cflags libpq 2>/dev/null) -E - >/dev/null 2>&1 || fail "the headers of PostgreSQL's library (libpq-dev) are not installed"
Scripts/with-postgresql.sh true || fail "PostgreSQL cannot be started"
for names in "${LIVESTORE_CHROMIUM:-chromium chromium-browser google-chrome}" "${LIVESTORE_CHROMEDRIVER:-chromedriver}"; do
  # Any one of the names will do.
  [[ -n "$(command -v $names)" ]] || fail "${names%% *} is not installed (Debian: apt-get install chromium chromium-driver)"
done

step "the root package depends on no packages"
if grep -nE '\.package\(' Package.swift; then fail "Package.swift names a package"; fi
if git ls-files | grep -E '(^|/)(\.build/|Package\.resolved$)'; then fail "build products are committed"; fi

step "format"
swift format lint --strict --recursive --parallel Package.swift Sources Tests Examples Benchmarks/Package.swift Benchmarks/Sources \
  Integrations/Combine/Package.swift Integrations/Combine/Sources Integrations/Combine/Tests \
  Integrations/SQLite/Package.swift Integrations/SQLite/Sources/{LiveStoreSQLite,livestore-sqlite} Integrations/SQLite/Tests/SQLTests/*.swift \
  Integrations/PostgreSQL/{Package.swift,Sources/LiveStorePostgreSQL,Examples,Tests} \
  Integrations/SQLite/Tests/{CrashScenario,CrashWriter,FaultyFiles,FaultyFilesTests,LiveStoreSQLiteTests,Programs,ToolTests} \
  Integrations/SQLite/Tests/TestSupport/OpenFiles.swift

step "unchecked concurrency and unsafe code say why"
python3 Scripts/check-proofs.py

step "no public type has the name of one of SwiftUI's or Foundation's"
python3 Scripts/check-names.py

step "no room uses one above it"
python3 Scripts/check-layers.py --test
python3 Scripts/check-layers.py

step "each invariant is cited by what upholds it"
python3 Scripts/check-invariants.py

step "each deliberate mistake can still be made"
python3 Scripts/mutate.py --check

step "tests"
swift test

# The usual run is short. What it leaves out is run below, optimised, and here where only debug builds have it.
step "tests of what debug builds count, in full"
LIVESTORE_THOROUGH=1 swift test --skip-build --filter 'Freed memory|Held versions'

step "examples of the documentation compile and print what they say"
python3 Scripts/check-examples.py

step "mistakes that people make get a sentence that helps"
python3 Scripts/check-mistakes.py

step "filters are quick to type-check"
python3 Scripts/check-typecheck.py

step "bodies of writes that must not compile are refused with a sentence"
python3 Scripts/check-bodies.py

export LIVESTORE_STRESS_SECONDS="${LIVESTORE_STRESS_SECONDS:-10}"

# Optimised, a module is compiled on one core: so two builds run beside each other.
# Debug information would take a fifth more of the time; functions have their names without it.
# The largest modules of tests are optimised where LIVESTORE_OPTIMISED_TESTS asks for it: that takes longer than the library.
all_tests="$(cd Tests && ls -d *Tests | paste -sd, -)"
[[ -n "${LIVESTORE_OPTIMISED_TESTS:-}" ]] ||
  export LIVESTORE_UNOPTIMISED_TESTS=LiveStoreTests,LiveStoreObservationTests,ConformanceTests,SocialFeedTests
# Sanitizers are for the library: they get the tests in which many threads, or its own memory, take part. The oracle has its
# memory checked as a client.
parts=LiveStoreTests/Support,LiveStoreTests/LiveQueries,StressTests
for name in Optimistic Snapshot SuspendedBody TicketQueue VersionPins WriteLock WriterLoop WriterTurn; do
  parts+=",LiveStoreTests/Transactions/${name}Tests.swift"
done
threaded_tests="$parts,LiveStoreObservationTests"
address_tests="$parts,LiveStoreTests/Storage,LiveStoreTests/Values,LiveStoreTests/Isolation,FuzzTests,ConformanceTests"
plain=(-c release -Xswiftc -enable-testing -Xswiftc -warnings-as-errors -Xswiftc -gnone --scratch-path "$PWD/.build/optimised")
# One place for all, so that the libraries are compiled once.
release=(-c release -Xswiftc -warnings-as-errors -Xswiftc -gnone --scratch-path "$PWD/.build")
address=(--sanitize address -Xswiftc -gnone --scratch-path .build/address)
thread=(--sanitize thread -Xswiftc -DTHREAD_SANITIZER -Xswiftc -gnone --scratch-path .build/thread)
log="$(mktemp)"
{
  LIVESTORE_TEST_TARGETS='' swift build "${release[@]}" &&
    swift build "${release[@]}" --package-path Tests/OracleClient &&
    swift build "${release[@]}" --package-path Benchmarks &&
    # Right behind it: builds of packages between them would remove what both depend on.
    swift build --build-tests "${release[@]}" --package-path Integrations/SQLite || exit 1
  if [[ "$(uname)" == Linux ]]; then
    LIVESTORE_TEST_TARGETS="$address_tests" swift build --build-tests "${address[@]}"
  fi
} >"$log" 2>&1 &
beside=$!
trap 'kill "$beside" 2>/dev/null || true; rm -f "$log"' EXIT

# The oracle follows as a client.
step "tests with the library as users run it, optimised: build"
LIVESTORE_TEST_TARGETS="${all_tests/OracleTests,/}" swift build --build-tests "${plain[@]}"

if [[ "$(uname)" == Linux ]]; then
  step "tests under the thread sanitizer: build"
  LIVESTORE_TEST_TARGETS="$threaded_tests" swift build --build-tests "${thread[@]}"
fi

step "release build of libraries and clients, warnings are errors; tests under the address sanitizer: build"
if ! wait "$beside"; then
  cat "$log"
  fail "these do not build"
fi

step "tests with the library as users run it, optimised, in full but for the largest module"
export MALLOC_PERTURB_=165
if [[ -n "${LIVESTORE_UNOPTIMISED_TESTS:-}" ]]; then
  LIVESTORE_TEST_TARGETS="${all_tests/OracleTests,/}" swift test --skip-build "${plain[@]}" --filter '^LiveStoreTests\.'
  LIVESTORE_THOROUGH=1 LIVESTORE_TEST_TARGETS="${all_tests/OracleTests,/}" \
    swift test --skip-build "${plain[@]}" --skip '^LiveStoreTests\.'
else
  LIVESTORE_THOROUGH=1 LIVESTORE_TEST_TARGETS="${all_tests/OracleTests,/}" swift test --skip-build "${plain[@]}"
fi
unset MALLOC_PERTURB_

# With the library as it was compiled for the optimised tests, whose flags make it testable already. Tests that import
# nothing testably say so: otherwise the library would be compiled again. They wait for servers much of the time, so what
# does not need the same build runs beside them.
(
  # Eight tests at a time: all at once would make a server of so many streams wait for minutes.
  export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8
  replicas=(--disable-testable-imports --package-path Integrations/PostgreSQL "${plain[@]}")
  histories='Replicas beside the tables that they follow'
  swift test "${replicas[@]}" --skip "$histories"
  step "replicas: 1,000 histories beside the tables"
  LIVESTORE_THOROUGH=1 swift test --skip-build "${replicas[@]}" --filter "$histories"
  step "replicas: examples"
  Scripts/with-postgresql.sh python3 Scripts/check-examples.py --postgresql "${plain[@]}"
) >"$log" 2>&1 &
beside=$!

if [[ "$(uname)" == Linux ]]; then
  step "no piece of work takes more instructions than recorded"
  python3 Scripts/check-regressions.py "${release[@]}"

  step "tests under the address sanitizer"
  # Leaks are looked for in the tool: in a process of tests, globals of generic types are reported as leaks.
  ASAN_OPTIONS=detect_leaks=0 LIVESTORE_TEST_TARGETS="$address_tests" swift test --skip-build "${address[@]}"

  step "nothing leaks"
  Scripts/check-leaks.sh "${address[@]}"
fi

step "livestore-watch on its sample"
Scripts/check-sample.sh

step "social-feed plays its story to the end"
story="$("$(swift build -c release --show-bin-path)/social-feed")" || fail "social-feed ended with status $?"
grep -qxF '  + Tea for Two, at 1' <<<"$story" || fail "social-feed did not tail the feed"

step "the oracle as a client, optimised, with memory that is checked and never zero"
oracle="$(swift build "${release[@]}" --package-path Tests/OracleClient --show-bin-path)/oracle"
(
  if [[ "$(uname)" == Linux ]]; then
    # All of it is read: a pipe that is closed early would end the program before it.
    checker="$(ldconfig -p | awk '/libc_malloc_debug\.so\.0/ && !n++ { print $NF }')"
    [[ -n "$checker" ]] || fail "libc_malloc_debug.so.0 of the C library is not installed"
    export LD_PRELOAD="$checker" MALLOC_CHECK_=3 MALLOC_PERTURB_=165
  fi
  "$oracle" histories --count "${LIVESTORE_ORACLE_HISTORIES:-500}"
  "$oracle" histories --large --seed 1000001 --count 3
  "$oracle" rounds --count "${LIVESTORE_ORACLE_ROUNDS:-5}"
)

# With GRDB as it was compiled for the benchmarks.
step "files: crashes, losses of power, damage; filters as SQL"
swift test --skip-build --disable-testable-imports --package-path Integrations/SQLite "${release[@]}"
python3 Scripts/check-examples.py --sqlite "${release[@]}"

step "replicas: values, faults and slots beside a server; what ran beside the checks above"
status=0
wait "$beside" || status=$?
cat "$log"
[[ "$status" == 0 ]] || fail "replicas, or their build"

if [[ "$(uname)" == Linux ]]; then
  step "thread sanitizer: stress, live queries, delivery"
  LIVESTORE_SEEDS=4 LIVESTORE_TEST_TARGETS="$threaded_tests" swift test --skip-build "${thread[@]}" \
    --filter 'StressTests|LiveStoreTests|LiveResultsTests|ModelStressTests|UndoObservationTests'
fi

step "documentation"
Scripts/check-documentation.sh "${release[@]}" -- "${plain[@]}"

# Last: its build removes what the package of files depends on.
step "publishers: builds and passes its tests, warnings are errors"
swift test --disable-testable-imports --package-path Integrations/Combine "${release[@]}"

printf '\nAll checks passed in %s s.\n' "$SECONDS"
