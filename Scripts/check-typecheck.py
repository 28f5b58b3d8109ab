#!/usr/bin/env python3
"""Counts what filters cost the type checker: those of filters.swift, and those of README.md and of the articles.

    python3 Scripts/check-typecheck.py [--list]

What is counted are scopes: the compiler opens one for each choice it tries, such as of an overload. The count is the
same on each machine and each time, however slow or busy the machine is; time is not. Each expression, there and in the
documentation, opens at most EACH scopes, at which the compiler gives up, and a client's file of fifty filters at most
WHOLE in all. The heaviest filter of the documentation opens 423, filters.swift 3564 in all, and a `#Predicate` 993, by
Foundation's overloads. EACH scopes took 40 to 100 ms when it was chosen. `--list` prints the slowest expressions by
the compiler's clock, which decides nothing: the first of a file also loads what it uses.
"""
import importlib.util
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import built

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILTERS = ROOT / "Scripts" / "filters.swift"
WORK = ROOT / ".build" / "typecheck"
WHOLE, EACH, LEAST = 7000, 2000, 50


def examples():
    """The functions of check-examples.py, which knows how the blocks of an article are one program."""
    specification = importlib.util.spec_from_file_location("examples", ROOT / "Scripts" / "check-examples.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def diagnostics(text):
    """Places, as file and line, and messages. What a macro expands to is at the place of the macro."""
    found = []
    for line in text.split("\n"):
        if match := re.match(r"(\S[^:]*:\d+)(?::\d+)?: (error|warning|note): (.*)", line):
            place = match[1].removeprefix(f"{ROOT}/")
            if match[2] != "note":
                found.append([place, match[3]])
            elif found and match[3].startswith("in expansion of macro"):
                found[-1][0] = place
    return found


def typecheck(source, modules):
    """Scopes in all, the places of expressions given up, and milliseconds of each that takes more than one."""
    with tempfile.TemporaryDirectory() as statistics:
        result = subprocess.run(
            ["swiftc", "-typecheck", "-Onone", "-swift-version", "6", "-module-name", "Example", "-I", str(modules),
             "-I", str(ROOT / "Sources/CPrefetch/include"), "-diagnostic-style=llvm", "-stats-output-dir", statistics,
             "-Xfrontend", f"-solver-scope-threshold={EACH}",
             "-Xfrontend", "-warn-long-expression-type-checking=1", str(source)],
            capture_output=True, text=True, cwd=ROOT)
        files = pathlib.Path(statistics).glob("stats-*swift-frontend*.json")
        scopes = sum(json.loads(file.read_text()).get("Sema.NumConstraintScopes", 0) for file in files)
    heavy, times = set(), {}
    for place, message in diagnostics(result.stderr):
        if "unable to type-check this expression in reasonable time" in message:
            heavy.add(place)
        elif match := re.match(r"expression took (\d+)ms to type-check", message):
            times[place] = max(times.get(place, 0), int(match[1]))
    # An expression given up leads to other errors.
    if result.returncode != 0 and not heavy:
        sys.exit(f"{source} does not compile:\n{result.stderr}")
    if scopes == 0:
        sys.exit(f"the compiler does not say how many scopes {source} opens")
    return scopes, heavy, times


def programs():
    """The documentation's programs, as sources whose lines are those of the articles."""
    scripts = examples()
    WORK.mkdir(parents=True, exist_ok=True)
    for path in [ROOT / "README.md", *sorted((ROOT / "Sources").glob("*/*.docc/*.md"))]:
        blocks = scripts.blocks(path)
        if not any(block.kind not in ("output", "manifest", "hidden") for block in blocks):
            continue
        folder = WORK / path.stem
        folder.mkdir(exist_ok=True)
        source = folder / "main.swift"
        source.write_text(scripts.program(path, blocks, False))
        yield source


def main():
    modules = built.modules("LiveStore", "LiveStoreObservation")
    number = len(re.findall(r"^  _ = \w+\.where \{", FILTERS.read_text(), re.MULTILINE))
    if number < LEAST:
        sys.exit(f"{FILTERS.name} has only {number} filters")
    scopes, heavy, times = typecheck(FILTERS, modules)
    files = 0
    for source in programs():
        _, others, more = typecheck(source, modules)
        heavy |= others
        times.update(more)
        files += 1
    problems = [f"{place}: the compiler gives up this expression, which opens more than {EACH} scopes"
                for place in sorted(heavy)]
    # What is given up has been counted up to where it was, and is the problem to solve first.
    if scopes > WHOLE and not problems:
        problems.append(f"{FILTERS.name}: {number} filters open {scopes} scopes; the limit is {WHOLE}")
    if "--list" in sys.argv:
        for place, time in sorted(times.items(), key=lambda item: -item[1])[:20]:
            print(f"{time:5} ms  {place}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{number} filters open {scopes} scopes; the limit is {WHOLE}; no expression, also of {files} articles, "
          f"opens more than {EACH}")


main()
