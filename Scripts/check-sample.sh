#!/usr/bin/env bash
# Compares what livestore-watch prints of its sample with what is expected; needs the optimised build.
set -euo pipefail
cd "$(dirname "$0")/.."

watch="$PWD/.build/optimised/release/livestore-watch"
cd Examples/WatchCLI/Samples
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

"$watch" packages.ndjson --key package --where 'section == "libs" AND source.name BEGINSWITH "g"' \
  --sort size:desc,package --limit 12 --once --output json >"$out/largest.ndjson"
"$watch" packages.ndjson --key package --where 'status == "unpacked"' --batch 100 --output count \
  >"$out/unpacked-count.txt"
"$watch" packages.ndjson --key package \
  --where 'source.name IN {"glibc", "python3.11", "gnupg2", "curl"}' \
  --sort status:desc,package --limit 8 --batch 25 >"$out/upgrades.txt"
for expected in Expected/*; do
  diff -u "$expected" "$out/$(basename "$expected")"
done

# The same from a pipe, however its lines are grouped.
"$watch" - --key package --where 'section == "libs" AND source.name BEGINSWITH "g"' \
  --sort size:desc,package --limit 12 --once --output json <packages.ndjson | diff -u Expected/largest.ndjson -

# Rows and tables of the same result: what is written as CSV or TSV is read again, and nested values under their paths.
for format in csv tsv; do
  "$watch" packages.ndjson --key package --once --output "$format" >"$out/packages.$format"
  "$watch" "$out/packages.$format" --input "$format" --nested --key package --where 'source.name BEGINSWITH "g"' \
    --sort package --columns package,source.name=source,size --once --output csv >"$out/again.$format"
  "$watch" packages.ndjson --key package --where 'source.name BEGINSWITH "g"' \
    --sort package --columns package,source.name=source,size --once --output csv | diff -u - "$out/again.$format"
done
"$watch" packages.ndjson --key package --where 'section == "libs" AND source.name BEGINSWITH "g"' \
  --sort size:desc,package --limit 12 --columns package,size --output table |
  diff -u <(python3 -c '
import json
rows = [json.loads(line) for line in open("Expected/largest.ndjson", encoding="utf-8")]
width = max(len(row["package"]) for row in rows)
size = max(len(str(row["size"])) for row in rows)
print("package".ljust(width), "size".rjust(size), sep="  ")
for row in rows:
    print(row["package"].ljust(width), str(row["size"]).rjust(size), sep="  ")') -

# A file of which the last object is waited for, and an envelope.
"$watch" packages.ndjson --key package --follow --until 'package == "zlib1g-dev" AND status == "installed"' \
  --timeout 60 --output count >/dev/null
printf '%s\n' '{"op":"c","after":{"id":1}}' '{"op":"c","after":{"id":2}}' '{"op":"d","before":{"id":1}}' null |
  "$watch" --envelope debezium --once --output json | diff -u <(echo '{"id":2}') -

# The recipes of the article print what it shows, and it names every option and status.
python3 ../../../Scripts/check-recipes.py "$watch"

# The manual page and the completions are what their readers understand.
"$watch" --completions bash | bash -n
if command -v groff >/dev/null; then "$watch" --man | groff -man -Tutf8 -ww 2>&1 >/dev/null | diff -u /dev/null -; fi

# Line by line, the changes rebuild the result exactly.
"$watch" packages.ndjson --key package --where 'section == "libs"' --sort status:desc,package --limit 60 \
  --batch 7 --output json >"$out/changes.ndjson"
"$watch" packages.ndjson --key package --where 'section == "libs"' --sort status:desc,package --limit 60 \
  --once --output json >"$out/final.ndjson"
python3 - "$out/changes.ndjson" "$out/final.ndjson" <<'PYTHON'
import itertools
import json
import sys

result = []
with open(sys.argv[1], encoding="utf-8") as lines:
    events = [json.loads(line) for line in lines]
for version, group in itertools.groupby(events, key=lambda event: event["version"]):
    group = list(group)
    gone = sorted((e["oldIndex"] for e in group if e["change"] in ("delete", "move")), reverse=True)
    moved = {json.dumps(e["id"]): result[e["oldIndex"]] for e in group if e["change"] == "move"}
    for index in gone:
        del result[index]
    come = [e for e in group if e["change"] in ("initial", "insert", "move")]
    for event in sorted(come, key=lambda event: event["newIndex"]):
        new = moved[json.dumps(event["id"])] if event["change"] == "move" else event["new"]
        result.insert(event["newIndex"], new)
    for event in group:
        if event["change"] == "modify":
            assert result[event["newIndex"]] == event["old"], event
            result[event["newIndex"]] = event["new"]
with open(sys.argv[2], encoding="utf-8") as lines:
    final = [json.loads(line) for line in lines]
assert result == final, "the changes do not rebuild the result"
kinds = {event["change"] for event in events}
assert kinds >= {"insert", "delete", "modify", "move"} and final, f"only {kinds} were seen"
print(f"{len(events)} changes of kinds {sorted(kinds)} rebuild the {len(final)} objects of the result")
PYTHON

# Memory follows the objects that live: 2,000,000 updates of 1,000 of them, from a pipe and from a file.
cat >"$out/updates.py" <<'PYTHON'
import sys

for start in range(0, 2_000_000, 1_000):
    sys.stdout.write("".join(
        f'{{"id":{n * 7919 % 1000},"status":"open","n":{n},"owner":{{"name":"user {n % 50}","city":"Berlin"}}}}\n'
        for n in range(start, start + 1_000)))
PYTHON
cat >"$out/memory.py" <<'PYTHON'
import os
import subprocess
import sys

process = subprocess.Popen(sys.argv[1:], stdout=subprocess.PIPE)
last = None
for last in process.stdout:
    pass
_, status, usage = os.wait4(process.pid, 0)
megabytes = usage.ru_maxrss // (1 << 20 if sys.platform == "darwin" else 1 << 10)
print(f"{megabytes} MB for 2,000,000 updates of 1,000 objects, {' '.join(sys.argv[2:])}")
assert status == 0 and last == b"1000\n", (status, last)
assert megabytes < 100, "memory grows with what was read"
PYTHON
python3 "$out/updates.py" | python3 "$out/memory.py" "$watch" - --batch 999 --output count
python3 "$out/updates.py" | python3 "$out/memory.py" "$watch" - --output count
python3 "$out/updates.py" | python3 "$out/memory.py" "$watch" - --batch 9223372036854775807 --output count
python3 "$out/updates.py" | python3 "$out/memory.py" "$watch" - --delete-when 'n < 0' --until 'n < 0 OR n == 1999999' \
  --output count
python3 "$out/updates.py" >"$out/updates.ndjson"
python3 "$out/memory.py" "$watch" "$out/updates.ndjson" --output count
