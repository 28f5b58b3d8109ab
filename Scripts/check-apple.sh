#!/usr/bin/env bash
# What can be checked on macOS without a server: the root package and the publishers build and pass their tests there, and
# the libraries compile for the other systems.
set -euo pipefail
cd "$(dirname "$0")/.."

swift test -Xswiftc -warnings-as-errors
swift test --package-path Integrations/Combine -Xswiftc -warnings-as-errors
for system in iOS tvOS watchOS visionOS; do
  for library in LiveStore LiveStoreObservation; do
    xcodebuild build -quiet -scheme "$library" -destination "generic/platform=$system" -derivedDataPath .build/xcode
  done
done
