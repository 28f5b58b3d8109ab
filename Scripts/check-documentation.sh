#!/usr/bin/env bash
# Builds the documentation of the libraries; a dead link or any other warning is an error.
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
