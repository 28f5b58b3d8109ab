#!/usr/bin/env bash
# Builds the documentation of the libraries; a dead link or any other warning is an error.
#
# Their symbols are those of the optimised build: a build for the documentation alone would compile them once more.
set -euo pipefail
cd "$(dirname "$0")/.."

docc=$(command -v docc || xcrun --find docc 2>/dev/null || true)
if [[ -z "$docc" ]]; then
  printf 'docc is not installed\n' >&2
  exit 1
fi
triple=$(swift -print-target-info | python3 -c 'import json, sys; print(json.load(sys.stdin)["target"]["triple"])')

built=.build/optimised/release
maps=$(find .build/optimised/checkouts/*/Sources Integrations/*/Sources -name module.modulemap -printf '-I%h ')
for map in "$built"/*.build/module.modulemap; do maps+="-Xcc -fmodule-map-file=$map "; done
for flag in $(pkg-config --cflags-only-I libpq 2>/dev/null); do maps+="-Xcc $flag "; done

# The documentation of a library, whose catalogue is in a folder; it has the symbols of a module that it exports again, too.
document() {
  local library="$1" sources="$2" exported="${3:-}"
  local graphs=".build/documentation-graphs/$library"
  rm -rf "$graphs"
  mkdir -p "$graphs"
  # shellcheck disable=SC2086  # A flag for each folder.
  swift symbolgraph-extract -module-name "$library" -minimum-access-level public -target "$triple" \
    ${exported:+-experimental-allowed-reexported-modules="$exported"} \
    -I "$built/Modules" -I Sources/CPrefetch/include $maps -output-dir "$graphs"
  "$docc" convert "$sources/$library/$library.docc" \
    --fallback-display-name "$library" --fallback-bundle-identifier "org.livestore.$library" \
    --additional-symbol-graph-dir "$graphs" \
    --warnings-as-errors --output-path ".build/documentation/$library.doccarchive"
  test -d ".build/documentation/$library.doccarchive/data/documentation" || {
    printf 'no documentation was made for %s\n' "$library" >&2
    exit 1
  }
}
# Every code of an error is in the table of the article on errors.
article=Sources/LiveStore/LiveStore.docc/ErrorsAndWhatToDo.md
codes=$(grep -o 'Code(description: "[a-zA-Z]*")' Sources/LiveStore/Model/StoreError.swift | cut -d'"' -f2)
[[ $(wc -w <<<"$codes") -ge 19 ]] || { printf 'only few codes of errors were found\n' >&2; exit 1; }
for code in $codes; do
  grep -q "^| \`$code\` |" "$article" || { printf '%s has no row for the code %s\n' "$article" "$code" >&2; exit 1; }
done

rm -rf .build/documentation
mkdir -p .build/documentation
document LiveStore Sources
document LiveStoreObservation Sources
document LiveStoreSQLite Integrations/SQLite/Sources
document LiveStorePostgreSQL Integrations/PostgreSQL/Sources
document LiveStoreServer Integrations/Server/Sources LiveStoreStreams
document LiveStoreFollower Integrations/Server/Sources
