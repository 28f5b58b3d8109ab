#!/usr/bin/env bash
# Builds the documentation of the libraries; a dead link or any other warning is an error.
#
#   Scripts/check-documentation.sh [flags of swift build, for the package of files] [-- the same for that of replicas]
set -euo pipefail
cd "$(dirname "$0")/.."

docc=$(command -v docc || xcrun --find docc 2>/dev/null || true)
if [[ -z "$docc" ]]; then
  printf 'docc is not installed\n' >&2
  exit 1
fi
graphs=.build/symbol-graphs
# What is built already would make no symbol graphs.
rm -rf "$graphs" .build/documentation
mkdir -p "$graphs"
swift build --target LiveStoreObservation \
  -Xswiftc -emit-symbol-graph -Xswiftc -emit-symbol-graph-dir -Xswiftc "$graphs" \
  --scratch-path .build/documentation
for library in LiveStore LiveStoreObservation; do
  mkdir -p ".build/documentation-graphs/$library"
  rm -f ".build/documentation-graphs/$library"/*
  cp "$graphs/$library"*.symbols.json ".build/documentation-graphs/$library/"
  "$docc" convert "Sources/$library/$library.docc" \
    --fallback-display-name "$library" --fallback-bundle-identifier "org.livestore.$library" \
    --additional-symbol-graph-dir ".build/documentation-graphs/$library" \
    --warnings-as-errors --output-path ".build/documentation/$library.doccarchive"
  test -d ".build/documentation/$library.doccarchive/data/documentation" || {
    printf 'no documentation was made for %s\n' "$library" >&2
    exit 1
  }
done

# The packages of files and of replicas, with what they depend on as it was built for their tests.
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
  swift symbolgraph-extract -module-name "$library" -minimum-access-level public \
    -target "$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')" \
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
files=()
while [[ $# -gt 0 && "$1" != -- ]]; do
  files+=("$1")
  shift
done
[[ $# -gt 0 ]] && shift
document Integrations/SQLite LiveStoreSQLite ${files[@]+"${files[@]}"}
document Integrations/PostgreSQL LiveStorePostgreSQL "$@"
