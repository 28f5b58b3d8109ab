#!/usr/bin/env bash
# What the checks need is there, each by name, before anything is built.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() {
  printf '%s\n' "$1" >&2
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
# shellcheck disable=SC2046  # A flag for each folder.
echo '#include <libpq-fe.h>' | clang $(pkg-config --cflags libpq 2>/dev/null) -E - >/dev/null 2>&1 ||
  fail "the headers of PostgreSQL's library (libpq-dev) are not installed"
Scripts/with-postgresql.sh true || fail "PostgreSQL cannot be started"
for names in "${LIVESTORE_CHROMIUM:-chromium chromium-browser google-chrome}" "${LIVESTORE_CHROMEDRIVER:-chromedriver}"; do
  # Any one of the names will do.
  # shellcheck disable=SC2086
  [[ -n "$(command -v $names)" ]] || fail "${names%% *} is not installed (Debian: apt-get install chromium chromium-driver)"
done
