#!/usr/bin/env python3
"""Checks how long the compiler takes to type-check filters in debug builds.

    swift build && python3 Scripts/check-typecheck.py

A file of fifty typed filters takes less than 5 s, and no expression in it more than 100 ms. Times are those of the
processor. `check-examples.py` has the same bound for each expression of the documentation.
"""
import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILE = ROOT / "Scripts" / "typecheck" / "FiftyFilters.swift"
SECONDS, MILLISECONDS = 5.0, 100


def main():
    count = len(re.findall(r"Post\.where", FILE.read_text()))
    if count != 50:
        sys.exit(f"{FILE.name} has {count} filters, not 50")
    binaries = subprocess.run(
        ["swift", "build", "--show-bin-path"], cwd=ROOT, capture_output=True, text=True).stdout.strip()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    result = subprocess.run(
        ["swiftc", "-frontend", "-typecheck", "-swift-version", "6", "-I", f"{binaries}/Modules",
         f"-warn-long-expression-type-checking={MILLISECONDS}", str(FILE)],
        capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    problems = [line for line in result.stderr.splitlines() if re.search(r"\b(error|warning):", line)]
    if problems or result.returncode != 0:
        sys.exit("\n".join(problems) or result.stderr)
    if seconds > SECONDS:
        sys.exit(f"{count} filters take {seconds:.1f} s to type-check, more than {SECONDS} s")
    print(f"{count} filters type-check in {seconds:.1f} s, each in less than {MILLISECONDS} ms")


main()
