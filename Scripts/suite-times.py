"""Runs each suite of the tests by itself and lists how much processor time it takes, the dearest first.

    python3 Scripts/suite-times.py            all suites
    python3 Scripts/suite-times.py Tree       those whose names contain that

Times of a whole run say little: suites run side by side, and each waits for the others. Builds the tests first.
Exits with 1 if a suite fails.
"""

import pathlib
import re
import resource
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent


def swift(*arguments):
    return subprocess.run(["swift", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def suites(tests):
    """The suites, each by the start of its tests' names; a nested suite is part of the outermost one."""
    return sorted({re.match(r"\w+\.(?:`[^`]*`|[^/`]+)/", line)[0] for line in tests.splitlines() if "/" in line})


def main():
    swift("build", "--build-tests")
    binary = next(pathlib.Path(swift("build", "--show-bin-path").strip()).glob("*PackageTests.xctest"))
    wanted = [suite for suite in suites(swift("test", "list", "--skip-build", "--disable-xctest"))
              if not sys.argv[1:] or any(part in suite for part in sys.argv[1:])]
    times, failed = [], []
    for suite in wanted:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        run = subprocess.run(
            [binary, "--testing-library", "swift-testing", "--filter", "^" + re.escape(suite)],
            cwd=ROOT, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        times.append((after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, suite[:-1]))
        if run.returncode != 0 or b" 0 tests" in run.stdout + run.stderr:
            failed.append(suite[:-1])
    for time, suite in sorted(times, reverse=True):
        print(f"{time:7.2f} s  {suite}")
    print(f"{sum(time for time, _ in times):7.2f} s  {len(times)} suites")
    for suite in failed:
        print(f"failed, or ran no test: {suite}")
    return 1 if failed else 0


sys.exit(main())
