#!/usr/bin/env python3
"""Counts the instructions of small pieces of work, and compares them with what is recorded.

    python3 Scripts/check-regressions.py             counts what the optimised build has, and compares
    python3 Scripts/check-regressions.py --record    writes what it counts to Benchmarks/regressions.json

Each figure is a ratio: the instructions of the store's work, by those that a Dictionary or an array takes for the same
in the same process. callgrind counts them, so neither the machine nor what else runs on it matters, and there is no
noise to average. Only memory that is waited for is not seen; `benchmarks` measures that. A ratio above the recorded one
by more than MARGIN fails, and so does one above the best that was ever recorded by more than DRIFT: what is raised within
the margin again and again. One that is below the recorded by MARGIN is reported, so that the gain is recorded.
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

import built

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "Benchmarks" / "regressions.json"
MARGIN, DRIFT = 0.25, 0.45

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
    arguments = parser.parse_args()
    if not shutil.which("valgrind"):
        sys.exit("valgrind is not installed")
    counts = count(built.program("regressions"))
    ratios = {work: round(cost(counts, own) / cost(counts, peer), 3) for work, (own, peer) in PAIRS.items()}
    recorded = json.loads(RECORD.read_text())
    if arguments.record:
        best = {work: min(ratio, recorded.get(work, {}).get("best", ratio)) for work, ratio in ratios.items()}
        recorded = {work: {"recorded": ratio, "best": best[work]} for work, ratio in ratios.items()}
        RECORD.write_text(json.dumps(recorded, indent=2) + "\n")
    failures = 0
    print(f"{'instructions of':44}    now  recorded    best  (times those of a Dictionary or array)")
    for work, ratio in ratios.items():
        before = recorded.get(work)
        note = ""
        if before is None:
            note = "FAILED: not recorded; --record writes it"
        elif ratio > before["recorded"] * (1 + MARGIN):
            note = f"FAILED: {ratio / before['recorded']:.2f} times as many"
        elif ratio > before["best"] * (1 + DRIFT):
            note = f"FAILED: {ratio / before['best']:.2f} times as many as at best"
        elif ratio < before["recorded"] / (1 + MARGIN):
            note = f"{before['recorded'] / ratio:.2f} times fewer: --record writes it"
        failures += note.startswith("FAILED")
        print(f"{work:44} {ratio:6.2f}  {before['recorded'] if before else '–':>8}  {before['best'] if before else '–':>6}  {note}")
    sys.exit(1 if failures else 0)


main()
