#!/usr/bin/env bash
# The root package depends on no packages, has no switches, and nothing that is built is committed.
set -euo pipefail
cd "$(dirname "$0")/.."

if grep -nE '\.package\(|Context\.environment' Package.swift; then
  printf 'Package.swift names a package, or depends on the environment\n' >&2
  exit 1
fi
if git ls-files | grep -E '(^|/)(\.build[^/]*/|Package\.resolved$)'; then
  printf 'build products are committed\n' >&2
  exit 1
fi
