#!/usr/bin/env python3
"""Compiles the mistakes of mistakes.swift and compares what the compiler says of each with the line's comment.

    python3 Scripts/check-mistakes.py

A line that ends in `// error: text` must have an error with that text, and no other line may have any. What a client
sees is what counts, so the file is compiled as one: in Swift 6 and in Swift 5 mode.
"""
import pathlib
import re
import subprocess
import sys

import built

ROOT = pathlib.Path(__file__).resolve().parent.parent
SOURCE = ROOT / "Scripts" / "mistakes.swift"


def run(command):
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT)


def main():
    modules = built.modules("LiveStore")
    expected = {}
    for number, line in enumerate(SOURCE.read_text().split("\n"), 1):
        if match := re.search(r"// error: (.*)$", line):
            expected[number] = match[1]
    problems = []
    for mode in ("6", "5"):
        result = run(
            ["swiftc", "-typecheck", "-swift-version", mode, "-I", str(modules),
             "-I", str(ROOT / "Sources/CPrefetch/include"), str(SOURCE)])
        said = {}
        for line in (result.stdout + result.stderr).split("\n"):
            if match := re.match(rf"{re.escape(str(SOURCE))}:(\d+):\d+: error: (.*)$", line):
                said.setdefault(int(match[1]), []).append(match[2])
        for number, text in expected.items():
            if not any(text in message for message in said.get(number, [])):
                heard = "; ".join(said.get(number, ["nothing"]))
                problems.append(f"mistakes.swift:{number}, Swift {mode}: not «{text}» but «{heard}»")
        for number in sorted(set(said) - set(expected)):
            problems.append(f"mistakes.swift:{number}, Swift {mode}: should compile: {'; '.join(said[number])}")
        if not said and result.returncode:
            problems.append(result.stderr)
    if len(expected) < 25:
        problems.append(f"only {len(expected)} mistakes were found")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{len(expected)} mistakes get their sentence")


main()
