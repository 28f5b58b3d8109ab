#!/usr/bin/env bash
# What takes hours, on a developer's machine as in the workflow.
#
#   Scripts/nightly.sh                all parts but the last, which never ends
#   Scripts/nightly.sh PART ...       some of them
#
#   full        all tests in full, optimised, with 60 s of stress; 1,000 faults of replicas
#   debug       all tests of all packages in debug, with the address sanitizer
#   threads     the same with the thread sanitizer
#   mutations   each deliberate mistake, and whether tests catch it
#   coverage    lines that the tests run, with a lower bound
#   kills       10,000 kills of a writer of files
#   damages     10,000 damaged files, plain and encrypted
#   histories   10,000 histories of replicas beside the tables
#   long        a million commits beside stopped observers, chains of a million, a line of 100 MB, each call that fails
#   fuzz        300,000 random inputs in each test that reads some
#   oracle      20,000 histories of the second oracle, and 200 concurrent rounds
#   jq          random queries of livestore-watch beside jq
#   seeds       random tests with other seeds, until it is stopped
#
# Each part has its output in .build/nightly/PART.log. A failure ends its part, and the other parts go on; runs of `seeds`
# that failed are kept in .build/nightly/failures.
set -uo pipefail
cd "$(dirname "$0")/.."

logs="$PWD/.build/nightly"
mkdir -p "$logs/failures"
optimised="$PWD/.build/optimised/release/livestore-verificationPackageTests.xctest"
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=8

check() { python3 Scripts/check.py "$@"; }
build() { check --only "build: optimised"; }

# Runs tests of the optimised build, and fails if there are none.
run() {
  local log
  log="$(mktemp)"
  "$optimised" --testing-library swift-testing "$@" 2>&1 | tee "$log"
  local status=${PIPESTATUS[0]}
  if ! grep -qE 'Test run with [1-9][0-9]* tests?' "$log"; then
    printf 'no test was run: %s\n' "$*"
    status=1
  fi
  rm -f "$log"
  return "$status"
}

# Everything in debug, under a sanitizer.
sanitized() {
  local sanitizer="$1"
  shift
  local folder="$PWD/.build/nightly-$sanitizer"
  swift build --build-tests --package-path Verification --sanitize "$sanitizer" "$@" -Xswiftc -gline-tables-only \
    --scratch-path "$folder" || return
  ASAN_OPTIONS="detect_leaks=0:suppressions=$PWD/Scripts/address.supp" optimised="$folder/debug/livestore-verificationPackageTests.xctest" run
}

part_full() { LIVESTORE_STRESS_SECONDS=60 check --only "tests: root, in full" "tests: cases" "nightly: files" "nightly: replicas" \
    "nightly: servers"; }
part_debug() { sanitized address; }
part_threads() { sanitized thread -Xswiftc -DTHREAD_SANITIZER; }
part_mutations() { python3 Scripts/mutate.py; }
part_coverage() {
  local tests=(swift test --package-path Verification --scratch-path "$PWD/.build/coverage")
  export LIVESTORE_VERIFICATION=core
  "${tests[@]}" --enable-code-coverage && python3 Scripts/check-coverage.py "$("${tests[@]}" --show-codecov-path)"
}
part_kills() { check --only "nightly: 10,000 kills"; }
part_damages() { check --only "nightly: 10,000 damages"; }
part_histories() { check --only "nightly: 10,000 histories"; }
part_long() { build && LIVESTORE_LONG=1 run --filter 'Cascades|Ownership|A long line|Bodies that suspend|MemoryTests|CallFailureTests|Bits of the header'; }
part_fuzz() { build && LIVESTORE_FUZZ_INPUTS=300000 run --filter '^FuzzTests[./]'; }
part_oracle() {
  build && LIVESTORE_ORACLE_HISTORIES=20000 LIVESTORE_ORACLE_LARGE=200 LIVESTORE_ORACLE_ROUNDS=200 Scripts/check-oracle.sh
}
part_jq() { build && python3 Scripts/compare-jq.py; }
part_seeds() {
  build || return
  local first=100000
  while true; do
    local log="$logs/failures/seeds-$first.log"
    # The replicas have a part of their own.
    if LIVESTORE_SEED="$first...$((first + 9))" ORACLE_SEED="$first" run --skip PostgreSQL --skip LiveFeed >"$log" 2>&1; then
      rm "$log"
      printf 'seeds %s to %s passed\n' "$first" "$((first + 9))"
    else
      printf 'seeds %s to %s FAILED: %s\n' "$first" "$((first + 9))" "$log"
    fi
    first=$((first + 10))
  done
}

parts=("$@")
((${#parts[@]})) || parts=(full debug threads mutations coverage kills damages histories long fuzz oracle jq)
for part in "${parts[@]}"; do
  declare -F "part_$part" >/dev/null || {
    printf 'there is no part %s\n' "$part" >&2
    exit 2
  }
done
failed=0
table=""
for part in "${parts[@]}"; do
  start=$SECONDS
  printf '== %s\n' "$part"
  if "part_$part" 2>&1 | tee "$logs/$part.log" | tail -n 20; then result=passed; else result=FAILED failed=1; fi
  table+="$(printf '%-10s %-6s %6s s' "$part" "$result" "$((SECONDS - start))")"$'\n'
done
printf '\n%s' "$table"
exit "$failed"
