#!/usr/bin/env python3
"""Measures what filters cost the type checker: those of filters.swift, and those of README.md and of the articles.

    swift build && python3 Scripts/check-typecheck.py [--list]

A client's file of fifty filters type-checks in less than WHOLE seconds of processor time, and each expression, there
and in the documentation, in less than EACH milliseconds, which the compiler measures itself. `--list` prints the
slowest expressions. An expression over the limit is measured again, since the first of a file also loads what it uses.
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
WHOLE, EACH, LEAST = 5.0, 100, 50


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
    """Seconds in all, and milliseconds of each expression that takes more than one, by file and line."""
    before = processor_seconds()
    result = subprocess.run(
        ["swiftc", "-typecheck", "-Onone", "-swift-version", "6", "-module-name", "Example", "-I", str(modules),
         "-I", str(ROOT / "Sources/CPrefetch/include"),
         "-Xfrontend", "-warn-long-expression-type-checking=1", str(source)],
        capture_output=True, text=True, cwd=ROOT)
    seconds = processor_seconds() - before
    if result.returncode != 0:
        sys.exit(f"{source} does not compile:\n{result.stderr}")
    found = {}
    for line in result.stderr.split("\n"):
        if match := re.match(r"(\S[^:]*:\d+):\d+: warning: expression took (\d+)ms to type-check", line):
            place = match[1].removeprefix(f"{ROOT}/")
            found[place] = max(found.get(place, 0), int(match[2]))
    return seconds, found


def measure(source, modules):
    """The least of up to five measurements, as long as one is over the limit: the compiler's clock goes on while others
    have the processor."""
    seconds, found = typecheck(source, modules)
    for _ in range(4):
        if seconds < WHOLE and all(time < EACH for time in found.values()):
            break
        again, other = typecheck(source, modules)
        seconds = min(seconds, again)
        found = {place: min(time, other.get(place, 0)) for place, time in found.items()}
    return seconds, found


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
    seconds, times = measure(FILTERS, modules)
    problems = []
    if seconds >= WHOLE:
        problems.append(f"{number} filters take {seconds:.2f} s to type-check; the limit is {WHOLE} s")
    files = 0
    for source in programs(modules):
        times.update(measure(source, modules)[1])
        files += 1
    slowest = sorted(times.items(), key=lambda item: -item[1])
    problems += [f"{place}: {time} ms to type-check; the limit is {EACH} ms" for place, time in slowest if time >= EACH]
    if "--list" in sys.argv:
        for place, time in slowest[:20]:
            print(f"{time:5} ms  {place}")
    if problems:
        sys.exit("\n".join(problems))
    place, time = slowest[0]
    print(f"{number} filters type-check in {seconds:.2f} s; the slowest expression, also of {files} articles, "
          f"takes {time} ms: {place}")


main()
