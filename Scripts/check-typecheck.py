#!/usr/bin/env python3
"""Measures what filters cost the type checker: those of filters.swift, and those of README.md and of the articles.

    swift build && python3 Scripts/check-typecheck.py [--list]

A client's file of fifty filters type-checks in less than WHOLE seconds of processor time, and each expression, there
and in the documentation, with at most SCOPES of the solver's scopes: how often it tries a choice of overloads. That is
the same on each machine, where the time of an expression is not; SCOPES take some 0.1 s. `--list` prints the slowest
expressions by time. What Foundation's #Predicate is expanded to is not ours, and takes more.
"""
import importlib.util
import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FILTERS = ROOT / "Scripts" / "filters.swift"
WORK = ROOT / ".build" / "typecheck"
WHOLE, SCOPES, LEAST = 5.0, 1_000, 50


def examples():
    """The functions of check-examples.py, which knows how the blocks of an article are one program."""
    specification = importlib.util.spec_from_file_location("examples", ROOT / "Scripts" / "check-examples.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def processor_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def typecheck(source, modules):
    """Seconds in all, the places of expressions over the limit, and milliseconds of each that takes more than one."""
    before = processor_seconds()
    result = subprocess.run(
        ["swiftc", "-typecheck", "-Onone", "-swift-version", "6", "-module-name", "Example", "-I", str(modules),
         "-I", str(ROOT / "Sources/CPrefetch/include"), "-Xfrontend", f"-solver-scope-threshold={SCOPES}",
         "-Xfrontend", "-warn-long-expression-type-checking=1", str(source)],
        capture_output=True, text=True, cwd=ROOT)
    seconds = processor_seconds() - before
    excessive, times, others = [], {}, []
    for line in result.stderr.split("\n"):
        match = re.match(r"(\S[^:]*:\d+):\d+: (warning|error): (.*)", line)
        if not match:
            continue
        place = match[1].removeprefix(f"{ROOT}/")
        if time := re.match(r"expression took (\d+)ms to type-check", match[3]):
            times[place] = max(times.get(place, 0), int(time[1]))
        elif "in reasonable time" in match[3]:
            excessive += [] if place.startswith("macro expansion #Predicate") else [place]
        elif match[2] == "error":
            others.append(line)
    # What cannot be type-checked in time may make other errors, too.
    if others and not excessive:
        sys.exit(f"{source} does not compile:\n" + "\n".join(others))
    return seconds, excessive, times


def programs(modules):
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
    result = subprocess.run(["swift", "build", "--show-bin-path"], cwd=ROOT, capture_output=True, text=True)
    modules = pathlib.Path(result.stdout.strip()) / "Modules"
    if not (modules / "LiveStoreObservation.swiftmodule").exists():
        sys.exit("the libraries are not built: run swift build first")
    number = len(re.findall(r"^  _ = \w+\.where \{", FILTERS.read_text(), re.MULTILINE))
    if number < LEAST:
        sys.exit(f"{FILTERS.name} has only {number} filters")
    # The clock goes on while others have the processor: the least of some measurements counts.
    seconds, excessive, times = typecheck(FILTERS, modules)
    for _ in range(4):
        if seconds >= WHOLE:
            seconds = min(seconds, typecheck(FILTERS, modules)[0])
    problems = []
    if seconds >= WHOLE:
        problems.append(f"{number} filters take {seconds:.2f} s to type-check; the limit is {WHOLE} s")
    files = 0
    for source in programs(modules):
        _, more, other = typecheck(source, modules)
        excessive += more
        times.update(other)
        files += 1
    problems += [f"{place}: more than {SCOPES} scopes to type-check" for place in excessive]
    if "--list" in sys.argv:
        for place, time in sorted(times.items(), key=lambda item: -item[1])[:20]:
            print(f"{time:5} ms  {place}")
    if problems:
        sys.exit("\n".join(problems))
    print(f"{number} filters type-check in {seconds:.2f} s; no expression, also of {files} articles, takes more than "
          f"{SCOPES} scopes")


main()
