#!/usr/bin/env python3
"""Sees that no test is left out: each suite is in a build, in a step of Scripts/check.py, and in one in full.

    python3 Scripts/check-suites.py [--table]       the table names the steps of each suite

1. Each target of tests of each manifest is one of Verification/Package.swift, and each file with tests is in one.
2. The programs of tests have as many tests of each target as its sources declare.
3. Each test is run by a step, and by one in which random and large tests have their full length, or which is alone in
   running a test that only debug builds have.
4. Each name in a step's filters is that of a target or suite.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

import check

ROOT = check.ROOT
MANIFESTS = [".", "Integrations/Combine", "Integrations/PostgreSQL", "Integrations/Server", "Integrations/SQLite"]


def dump(package):
    # The manifest has no tests that the environment leaves out.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("LIVESTORE_")}
    result = subprocess.run(
        ["swift", "package", "--package-path", str(ROOT / package), "dump-package"], capture_output=True, text=True,
        check=True, env=environment)
    return {target["name"]: target for target in json.loads(result.stdout)["targets"]}


def test_folders(targets):
    return {name: target["path"].removeprefix("Repository/")
            for name, target in targets.items() if target["type"] == "test"}


def targets_problems(all_targets):
    problems = []
    for package in MANIFESTS:
        for name, target in dump(package).items():
            if name not in all_targets:
                problems.append(f"{package}/Package.swift: {name} is not in Verification/Package.swift")
            elif target["type"] != all_targets[name]["type"]:
                problems.append(f"{name} is of another type in {package}/Package.swift")
    return problems


def declared(folders):
    """How many tests the sources of each target declare, and files with tests that are in none."""
    counts, problems = collections.Counter(), []
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.swift"], cwd=ROOT, capture_output=True,
        text=True, check=True)
    for file in listed.stdout.split("\n"):
        if not file or (ROOT / file).is_symlink() or not (ROOT / file).is_file():
            continue
        number = len(re.findall(r"^\s*(?:@\w+(?:\([^)\n]*\))?\s+)*@Test\b", (ROOT / file).read_text(), re.MULTILINE))
        homes = [name for name, folder in folders.items() if file.startswith(folder + "/")]
        if number and len(homes) != 1:
            problems.append(f"{file} has {number} tests and is in no target of tests")
        elif number:
            counts[homes[0]] += number
    return counts, problems


def listed(build):
    result = subprocess.run(
        [str(build.program()), "--testing-library", "swift-testing", "--list-tests"], capture_output=True, text=True,
        env={**os.environ, **check.WITHOUT_LEAKS}, cwd=ROOT)
    tests = [line for line in result.stdout.splitlines() if re.match(r"\w+\.", line)]
    if result.returncode != 0 or not tests:
        sys.exit(f"the tests of {build.name} cannot be listed:\n{result.stderr}")
    return tests


def suite(test):
    """The name of a test's outermost suite, or of its target if it is in none."""
    match = re.match(r"(\w+\.(?:`[^`]*`|[^/`(]+))/", test)
    return match[1] if match else test.split(".")[0]


def is_in(step, test):
    def begins(name):
        return re.match("^" + re.escape(name) + r"[./]", test)

    return (not step.only or any(map(begins, step.only))) and not any(map(begins, step.but))


def main():
    targets = dump("Verification")
    folders = test_folders(targets)
    problems = targets_problems(targets)
    counts, more = declared(folders)
    problems += more
    tests = {name: listed(build) for name, build in check.BUILDS.items()
             if any(isinstance(step, check.Tests) and step.build is build and not step.is_skipped for step in check.STEPS)}
    everything = sorted({test for list_ in tests.values() for test in list_})
    for name in folders:
        number = sum(test.startswith(name + ".") for test in everything)
        if number != counts[name]:
            problems.append(f"{name}: its sources declare {counts[name]} tests, and {number} are in a program")

    steps = [step for step in check.STEPS if isinstance(step, check.Tests) and not step.is_skipped]
    in_steps = collections.defaultdict(list)
    for step in steps:
        for test in tests[step.build.name]:
            if is_in(step, test):
                in_steps[test].append(step)
        for name in [*step.only, *step.but]:
            if not any(re.match(re.escape(name) + r"[./]", test) for test in tests[step.build.name]):
                problems.append(f"{step.name}: no target or suite is called {name}")
    for test in everything:
        if not in_steps[test]:
            problems.append(f"{test} is in no step")
        elif not any(step.is_full for step in in_steps[test]):
            problems.append(f"{test} is in no step in full")

    suites = collections.defaultdict(list)
    for test in everything:
        for step in in_steps[test]:
            if step.name not in suites[suite(test)]:
                suites[suite(test)].append(step.name)
    if "--table" in sys.argv:
        for name, names in sorted(suites.items()):
            print(f"{name:90} {', '.join(each.removeprefix('tests: ') for each in names)}")
    if problems:
        sys.exit("\n".join(problems[:40]) + f"\n{len(problems)} problems")
    print(f"{len(everything)} tests in {len(suites)} suites of {len(folders)} targets are each in a step in full")


if __name__ == "__main__":
    main()
