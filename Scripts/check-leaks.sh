#!/usr/bin/env bash
# livestore-watch on its sample, under the address sanitizer, with its leak check at the end.
#
# LeakSanitizer comes with the toolchain. (valgrind 3.19 crashes itself when the main thread of a Swift program gives way
# to dispatch, as that of every asynchronous `main` does.)
set -euo pipefail
cd "$(dirname "$0")/.."

if [[ "$(uname)" != Linux ]]; then
  echo "LeakSanitizer is there on Linux alone: not checked"
  exit
fi
watch=.build/address/debug/livestore-watch

export ASAN_OPTIONS=detect_leaks=1:exitcode=23
export LSAN_OPTIONS=suppressions="$PWD/Scripts/leaks.supp":print_suppressions=0
for arguments in "--batch 50" "--batch 100 --output json" "--once" "--batch 25 --output count"; do
  # Words of one line are arguments of their own.
  # shellcheck disable=SC2086
  "$watch" Examples/WatchCLI/Samples/packages.ndjson --key package --where 'section == "libs"' \
    --sort status:desc,package --limit 60 $arguments >/dev/null
done
"$watch" - --key package --where 'size > 1000' <Examples/WatchCLI/Samples/packages.ndjson >/dev/null
echo "nothing leaked in five runs"
