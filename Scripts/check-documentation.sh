#!/usr/bin/env bash
# Builds the documentation of the libraries; a dead link or any other warning is an error.
#
#   Scripts/check-documentation.sh [flags of swift build, for the root and the package of files] [-- the same for replicas]
#
# The libraries are taken as these flags built them, and built if they are not there: a build for the symbols alone would
# compile them once more.
set -euo pipefail
cd "$(dirname "$0")/.."

docc=$(command -v docc || xcrun --find docc 2>/dev/null || true)
if [[ -z "$docc" ]]; then
  printf 'docc is not installed\n' >&2
  exit 1
fi
triple=$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')

# The documentation of a library of a package.
document() {
  local package="$1" library="$2"
  shift 2
  swift build --package-path "$package" "$@" --target "$library"
  local built maps graphs
  built=$(swift build --package-path "$package" "$@" --show-bin-path)
  maps=$(find "$built"/../../checkouts/*/Sources "$package/Sources" -name module.modulemap -printf '-I%h ' 2>/dev/null || true)
  for flag in $(pkg-config --cflags-only-I libpq 2>/dev/null); do maps+="-Xcc $flag "; done
  graphs=".build/documentation-graphs/$library"
  rm -rf "$graphs"
  mkdir -p "$graphs"
  # shellcheck disable=SC2086  # A flag for each folder.
  swift symbolgraph-extract -module-name "$library" -minimum-access-level public -target "$triple" \
    -I "$built/Modules" -I Sources/CPrefetch/include $maps -output-dir "$graphs"
  "$docc" convert "$package/Sources/$library/$library.docc" \
    --fallback-display-name "$library" --fallback-bundle-identifier "org.livestore.$library" \
    --additional-symbol-graph-dir "$graphs" \
    --warnings-as-errors --output-path ".build/documentation/$library.doccarchive"
  test -d ".build/documentation/$library.doccarchive/data/documentation" || {
    printf 'no documentation was made for %s\n' "$library" >&2
    exit 1
  }
}
rm -rf .build/documentation
mkdir -p .build/documentation
files=()
while [[ $# -gt 0 && "$1" != -- ]]; do
  files+=("$1")
  shift
done
[[ $# -gt 0 ]] && shift
# The root is last: its build removes what the package of files depends on.
document Integrations/SQLite LiveStoreSQLite ${files[@]+"${files[@]}"}
document Integrations/PostgreSQL LiveStorePostgreSQL "$@"
for library in LiveStore LiveStoreObservation; do
  LIVESTORE_TEST_TARGETS='' document . "$library" ${files[@]+"${files[@]}"}
done
