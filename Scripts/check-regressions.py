#!/usr/bin/env python3
"""Counts the instructions of small pieces of work, and compares them with what is recorded.

    python3 Scripts/check-regressions.py             builds, counts, compares
    python3 Scripts/check-regressions.py --record    writes what it counts to Benchmarks/regressions.json
    python3 Scripts/check-regressions.py --scratch-path DIR    where the build is

Each figure is a ratio: the instructions of the store's work, by those that a Dictionary or an array takes for the same
in the same process. callgrind counts them, so neither the machine nor what else runs on it matters, and there is no
noise to average. Only memory that is waited for is not seen; `benchmarks` measures that. A ratio above the recorded one
by more than MARGIN fails. One that is below by as much is reported, so that the gain is recorded.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "Benchmarks" / "regressions.json"
MARGIN = 0.25

# The store's function and its peer's. Loading and updates have the same peer with and without an index.
PAIRS = {
    "load": ("storeLoad", "peerLoad"), "load, one index": ("storeLoadIndexed", "peerLoad"),
    "lookup by id": ("storeLookup", "peerLookup"), "delete": ("storeDelete", "peerDelete"),
    "update transaction": ("storeUpdate", "peerUpdate"),
    "update transaction, indexed value": ("storeUpdateIndexed", "peerUpdate"),
    "update transaction, live query, change set": ("storeLive", "peerUpdate"),
    "count by an Int": ("storeScan", "peerScan"), "count by a prefix": ("storeText", "peerText"),
    "fetch half": ("storeFilter", "peerFilter"), "sort": ("storeSort", "peerSort"),
    "sum of half": ("storeSum", "peerSum"), "page of an index": ("storePage", "peerPage"),
}
# `main` calls these with other amounts of work than their peers.
CALLS = {"storeLive": 300 / 1_000, "storeLoad": 2}


def build(options):
    # Its dependency is compiled as users have it: optimised.
    command = ["swift", "build", "-c", "release", "--package-path", str(ROOT / "Benchmarks"), *options]
    result = subprocess.run([*command, "--product", "regressions"], capture_output=True, text=True)
    if result.returncode != 0:
        sys.exit(result.stdout + result.stderr)
    path = subprocess.run([*command, "--show-bin-path"], capture_output=True, text=True, check=True).stdout.strip()
    return pathlib.Path(path) / "regressions"


def count(binary):
    """Instructions of each function and all that it calls, by mangled name."""
    with tempfile.TemporaryDirectory() as folder:
        output = pathlib.Path(folder) / "counts"
        # Hashes are random otherwise, and with them the steps of every lookup.
        environment = {**os.environ, "SWIFT_DETERMINISTIC_HASHING": "1"}
        result = subprocess.run(
            ["valgrind", "--tool=callgrind", "--dump-line=no", f"--callgrind-out-file={output}", str(binary)],
            capture_output=True, text=True, env=environment)
        if result.returncode != 0:
            sys.exit(f"{binary.name} ended with status {result.returncode}:\n{result.stderr}")
        return inclusive(output.read_text())


def inclusive(text):
    """A line of costs belongs to the function before it; one after `calls=` is what a call cost in all."""
    names, costs, current, is_call = {}, {}, None, False
    for line in text.split("\n"):
        if match := re.match(r"fn=\((\d+)\)(?: (.*))?$", line):
            current = match[1]
            if match[2]:
                names[current] = match[2]
        elif match := re.match(r"cfn=\((\d+)\) (.*)$", line):
            names[match[1]] = match[2]
        elif current and (match := re.match(r"[+*-]?\d* (\d+)$", line)):
            costs[current] = costs.get(current, 0) + int(match[1])
    return {names[number]: cost for number, cost in costs.items()}


def cost(counts, name):
    """Of a function, found by its mangled name: its length before it, and an F at the end. Closures within it and
    code that it shares with functions like it have other ends."""
    found = [cost for function, cost in counts.items()
             if re.search(rf"^\$s11regressions{len(name)}{name}\D.*F$", function)]
    if len(found) != 1:
        sys.exit(f"{name} was not called, or was inlined: {len(found)} functions have its name")
    return found[0] / CALLS.get(name, 1)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--record", action="store_true")
    arguments, options = parser.parse_known_args()
    for tool in ("valgrind", "swift"):
        if not shutil.which(tool):
            sys.exit(f"{tool} is not installed")
    counts = count(build(options))
    ratios = {work: round(cost(counts, own) / cost(counts, peer), 3) for work, (own, peer) in PAIRS.items()}
    if arguments.record:
        RECORD.write_text(json.dumps(ratios, indent=2) + "\n")
    recorded = json.loads(RECORD.read_text())
    failures = 0
    print(f"{'instructions of':44}   now  recorded (times those of a Dictionary or array)")
    for work, ratio in ratios.items():
        before = recorded.get(work)
        note = ""
        if before is None:
            note = "FAILED: not recorded; --record writes it"
        elif ratio > before * (1 + MARGIN):
            note = f"FAILED: {ratio / before:.2f} times as many"
        elif ratio < before / (1 + MARGIN):
            note = f"{before / ratio:.2f} times fewer: --record writes it"
        failures += note.startswith("FAILED")
        print(f"{work:44} {ratio:5.2f}  {before if before is not None else '–':>8}  {note}")
    sys.exit(1 if failures else 0)


main()
