#!/usr/bin/env python3
"""All checks of this repository: what `.ci/run` runs on a fresh clone.

    python3 Scripts/check.py                  all of them, two at a time; ends with a table of their times
    python3 Scripts/check.py --only NAME …    some, with the builds that they need
    python3 Scripts/check.py --list           what there is
    python3 Scripts/check.py --record         writes how many tests each step ran to Scripts/tests.json

There are three builds, each of what the others do not find: `address`, the root package as `swift test` has it, with
assertions and the address sanitizer; `optimised`, everything (Verification/Package.swift), the libraries exactly as users
get them; `threads`, the suites in which threads take part, with the thread sanitizer. A step of tests fails if it runs
fewer tests than are recorded. Scripts/check-suites.py sees that each suite is in a step, and is one.

Needs git, openssl, python3, the headers of SQLite, those of libpq with a PostgreSQL server, Chromium with its driver, and
a Swift 6.2 toolchain or later with `swift format`; on Linux, valgrind.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
RECORD = ROOT / "Scripts" / "tests.json"
IS_LINUX = sys.platform == "linux"
STRICT = ["-Xswiftc", "-warnings-as-errors"]
# Functions have their names, and reports their lines, without the rest of the debug information.
LINES = ["-Xswiftc", "-gline-tables-only"]


class Build:
    """A build of a package and its tests in a folder of its own."""

    def __init__(self, name, package, flags, environment=None):
        self.name, self.package, self.environment = name, package, environment or {}
        self.flags = [*flags, "--scratch-path", str(ROOT / ".build" / name)]

    def command(self, *arguments):
        return ["swift", "build", "--package-path", str(ROOT / self.package), *self.flags, *arguments]

    def program(self):
        """The program of all its tests."""
        folder = ROOT / ".build" / self.name / ("release" if "release" in self.flags else "debug")
        found = list(folder.glob("*PackageTests.xctest"))
        if len(found) != 1:
            raise CheckFailed(f"{self.name} has {len(found)} programs of tests")
        bundle = found[0] / "Contents" / "MacOS" / found[0].stem
        return bundle if bundle.exists() else found[0]


BUILDS = {
    build.name: build for build in [
        Build("address", ".", ["--sanitize", "address", *STRICT, *LINES]),
        Build("optimised", "Verification", ["-c", "release", *STRICT, "-Xswiftc", "-gnone"]),
        Build("threads", "Verification", ["--sanitize", "thread", "-Xswiftc", "-DTHREAD_SANITIZER", *STRICT, *LINES],
              {"LIVESTORE_VERIFICATION": "threads"}),
    ]
}


# Tests that run at a time. Where all do, each waits for all others whenever it waits at all: for the main actor, for a process,
# for a server of so many streams; so the limits of their times are those of them all.
AT_A_TIME = "8"


class CheckFailed(Exception):
    pass


class Step:
    """Something that is checked, with what must be done before it."""

    is_nightly = False

    def __init__(self, name, *commands, needs=(), environment=None, only_linux=False):
        self.name, self.commands, self.needs = name, commands, needs
        self.environment = dict(environment or {})
        self.is_skipped = only_linux and not IS_LINUX
        self.tests = None

    def run(self, log):
        for command in self.commands:
            self.execute(command, log)

    def execute(self, command, log):
        environment = {**os.environ, **self.environment}
        process = subprocess.Popen(
            [str(part) for part in command], cwd=ROOT, env=environment, stdin=subprocess.DEVNULL, stdout=log,
            stderr=subprocess.STDOUT)
        RUNNING.add(process)
        try:
            status = process.wait(timeout=None if self.is_nightly else LIMIT)
        except subprocess.TimeoutExpired:
            log.flush()
            log.write(waiting(process, pathlib.Path(log.name).read_text(errors="replace")))
            process.kill()
            process.wait()
            raise CheckFailed(f"it did not end within {LIMIT} s") from None
        finally:
            RUNNING.discard(process)
        if status != 0:
            raise CheckFailed(f"{pathlib.Path(str(command[0])).name} ended with status {status}")


class Built(Step):
    """Compiles a build."""

    def __init__(self, build):
        super().__init__(f"build: {build}", needs=["tools"], environment=BUILDS[build].environment)
        self.commands = [BUILDS[build].command("--build-tests")]


class Tests(Step):
    """Runs tests of a build; only when it is asked for by name if it is `nightly`.

    `only` and `but` are what the names of tests begin with, as `Module` or ``Module.`Suite` ``; `full` says that random
    and large tests have their full length.
    """

    def __init__(self, name, build, only=(), but=(), full=False, nightly=False, environment=None, **options):
        environment = {"SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": AT_A_TIME, **(environment or {})}
        super().__init__(f"tests: {name}", needs=[f"build: {build}"], environment=environment, **options)
        self.build, self.only, self.but, self.is_full, self.is_nightly = BUILDS[build], only, but, full, nightly
        if full:
            self.environment["LIVESTORE_THOROUGH"] = "1"

    def arguments(self):
        filters = []
        for names, flag in [(self.only, "--filter"), (self.but, "--skip")]:
            for name in names:
                filters += [flag, "^" + re.escape(name) + r"[./]"]
        return filters

    def run(self, log):
        start = log.tell()
        self.execute([self.build.program(), "--testing-library", "swift-testing", *self.arguments()], log)
        log.flush()
        text = pathlib.Path(log.name).read_text(errors="replace")[start:]
        ran = re.findall(r"Test run with (\d+) tests?", text)
        self.tests = int(ran[-1]) if ran else 0
        if self.tests == 0:
            raise CheckFailed("no test was run")


def script(name, *arguments):
    interpreter = ["bash"] if name.endswith(".sh") else [sys.executable]
    return [*interpreter, f"Scripts/{name}", *arguments]


# Random bytes in memory that is freed, and never zero in memory that is new: what relies on either fails.
PERTURBED = {"MALLOC_PERTURB_": "165"}
# Leaks are looked for in the tool: in a process of tests, globals of generic types are reported as leaks.
WITHOUT_LEAKS = {
    "ASAN_OPTIONS": f"detect_leaks=0:malloc_context_size=10:suppressions={ROOT}/Scripts/address.supp"}
STRESS = {"LIVESTORE_STRESS_SECONDS": os.environ.get("LIVESTORE_STRESS_SECONDS", "10")}
OPTIMISED = "build: optimised"
FILES = ["FaultyFilesTests", "LiveStoreSQLiteTests", "ToolTests"]
KILLS = ["LiveStoreSQLiteTests.Crashes"]
DAMAGES = ["LiveStoreSQLiteTests.`Damaged files`"]
REPLICAS = ["LiveFeedTests", "LiveStorePostgreSQLTests"]
# Some of their tests are in debug builds alone.
DEBUG_ONLY = [
    "LiveStoreObservationTests.`Freed memory of models`", "LiveStoreTests.`A token`", "LiveStoreTests.`Freed memory`",
    "LiveStoreTests.`Held versions`", "LiveStoreTests.OuterRowTests", "LiveStoreTests.`Unknown entities`"]
HISTORIES = [
    "LiveStorePostgreSQLTests.`Replicas beside the tables that they follow`",
    "LiveStorePostgreSQLTests.`Replicas of a simulated server`",
    "LiveStorePostgreSQLTests.`Simulated histories at a server`"]

# In the order in which they begin, as soon as what they need is done.
STEPS = [
    Step("tools", script("check-tools.sh")),
    Step("format", script("check-format.sh")),
    Step("root depends on no packages", script("check-packages.sh")),
    Built("optimised"),
    Step("unchecked concurrency and unsafe code say why", script("check-proofs.py")),
    Step("texts are quoted and parsed by scalars", script("check-quoting.py", "--test"), script("check-quoting.py")),
    Step("names of public types", script("check-names.py")),
    Step("no room uses one above it", script("check-layers.py", "--test"), script("check-layers.py")),
    Step("each invariant is cited by what upholds it", script("check-invariants.py")),
    Step("each deliberate mistake can still be made", script("mutate.py", "--check")),
    Built("address"),
    Tests("debug, address sanitizer", "address", environment=WITHOUT_LEAKS),
    Tests("what debug builds alone have, in full", "address", only=DEBUG_ONLY, full=True, environment=WITHOUT_LEAKS),
    Step("nothing leaks", script("check-leaks.sh"), needs=["build: address"], only_linux=True),
    Built("threads"),
    Tests("root, in full", "optimised", full=True, environment={**PERTURBED, **STRESS},
          only=["LiveStoreTests", "LiveStoreObservationTests", "MainActorTests", "SocialFeedTests", "StressTests",
                "WatchCLITests"]),
    Tests("cases, oracles and random inputs, in full", "optimised", full=True, environment=PERTURBED,
          only=["ConformanceTests", "FilterOracleTests", "FuzzTests", "OracleTests"]),
    Tests("publishers", "optimised", only=["LiveStoreCombineTests"], full=True, environment=PERTURBED),
    Tests("servers", "optimised", only=["LiveStoreServerTests"], environment=PERTURBED),
    Tests("files", "optimised", only=FILES),
    Tests("replicas", "optimised", only=REPLICAS, but=HISTORIES),
    Tests("replicas: 1,000 histories", "optimised", only=HISTORIES, full=True),
    Tests("nightly: files", "optimised", only=FILES, but=[*KILLS, *DAMAGES], full=True, nightly=True),
    Tests("nightly: 10,000 kills", "optimised", only=KILLS, full=True, nightly=True),
    Tests("nightly: 10,000 damages", "optimised", only=DAMAGES, full=True, nightly=True,
          environment={"LIVESTORE_SEED": "0...4999"}),
    Tests("nightly: replicas", "optimised", only=REPLICAS, but=HISTORIES, full=True, nightly=True),
    Tests("nightly: servers", "optimised", only=["LiveStoreServerTests"], full=True, nightly=True),
    Tests("nightly: 10,000 histories", "optimised", only=HISTORIES, full=True, nightly=True,
          environment={"LIVESTORE_SEED": "1...10000"}),
    Tests("thread sanitizer", "threads", environment={"LIVESTORE_SEEDS": "4", **STRESS}, only_linux=True),
    Step("no piece of work takes more instructions than recorded", script("check-regressions.py"), needs=[OPTIMISED],
         only_linux=True),
    Step("the oracle as a client", script("check-oracle.sh"), needs=[OPTIMISED]),
    Step("livestore-watch on its sample", script("check-sample.sh"), needs=[OPTIMISED]),
    Step("social-feed plays its story to the end", script("check-story.sh"), needs=[OPTIMISED]),
    Step("examples of the documentation", script("check-examples.py"), needs=[OPTIMISED]),
    Step("examples of files", script("check-examples.py", "--sqlite"), needs=[OPTIMISED]),
    Step("examples of servers", script("check-examples.py", "--server"), needs=[OPTIMISED]),
    Step("examples of replicas", [
        "bash", "Scripts/with-postgresql.sh", sys.executable, "Scripts/check-examples.py", "--postgresql"],
        needs=[OPTIMISED]),
    Step("packages beside the root use what is public", script("check-access.py"), needs=[OPTIMISED]),
    Step("mistakes that people make get a sentence that helps", script("check-mistakes.py"), needs=[OPTIMISED]),
    Step("bodies of writes that must not compile", script("check-bodies.py"), needs=[OPTIMISED]),
    Step("filters are quick to type-check", script("check-typecheck.py"), needs=[OPTIMISED]),
    Step("recipes of livestore-watch", script("check-recipes.py"), needs=[OPTIMISED]),
    Step("documentation", script("check-documentation.sh"), needs=[OPTIMISED]),
    Step("each suite is in a step", script("check-suites.py"),
         needs=["build: address", OPTIMISED, "build: threads"]),
]

RUNNING = set()
AT_ONCE = 2
# Seconds after which a command counts as one that does not end; the longest, a build, takes half of it on two slow cores.
LIMIT = 2400


def waiting(process, text):
    """What a command is at that does not end: the tests that have begun and not ended, its processes, and their threads."""
    begun = re.findall(r"Test (?!case |run )(.+) started\.", text)
    ended = set(re.findall(r"Test (.+?)(?: with \d+ test cases)? (?:passed|failed) after", text))
    lines = ["", "It does not end. Tests that have begun:", *(name for name in begun if name not in ended)]
    for command in [["ps", "-e", "--forest", "-o", "pid,ppid,stat,time,wchan:20,args"],
                    ["gdb", "-p", str(process.pid), "-batch", "-ex", "thread apply all bt 30"]]:
        try:
            found = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120)
            lines += ["", *(line[:300] for line in found.stdout.split("\n"))]
        except (OSError, subprocess.SubprocessError) as failure:
            lines.append(str(failure))
    return "\n".join(lines) + "\n"


class Checks:
    """Runs steps, two at a time: each either waits, runs, or is done.

    State: all but `names` and `start` is guarded by `change`.
    """

    def __init__(self, steps):
        self.waiting, self.done, self.failure, self.times = list(steps), set(), None, []
        self.failed_tests = []
        self.names = {step.name for step in steps}
        self.change = threading.Condition()
        self.start = time.monotonic()

    def run(self):
        workers = [threading.Thread(target=self.work) for _ in range(AT_ONCE)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()

    def next_step(self):
        """The first that can begin; None when all have begun or one has failed."""
        with self.change:
            while True:
                if self.failure or not self.waiting:
                    return None
                for step in self.waiting:
                    if all(need in self.done or need not in self.names for need in step.needs):
                        self.waiting.remove(step)
                        return step
                self.change.wait()

    def work(self):
        while step := self.next_step():
            begin, problem = time.monotonic(), None
            with tempfile.NamedTemporaryFile("w+", prefix="livestore-check-", suffix=".log") as log:
                try:
                    if not step.is_skipped:
                        step.run(log)
                except (CheckFailed, OSError, subprocess.SubprocessError) as failure:
                    problem = str(failure)
                log.flush()
                text = pathlib.Path(log.name).read_text(errors="replace")
            self.end(step, begin, problem, text)

    def end(self, step, begin, problem, text):
        with self.change:
            seconds = time.monotonic() - begin
            problem = problem or self.missing(step)
            self.times.append((step, begin - self.start, seconds))
            is_first = problem and not self.failure
            if is_first:
                self.failure = f"{step.name}: {problem}"
                self.failed_tests = failures(text)
            # What others are ended for has nothing to say.
            shown = text if is_first else "\n".join([*failures(text), *text.rstrip().split("\n")[-3:]])
            state = "FAILED" if is_first else "ended" if problem else "not on this system" if step.is_skipped else "done"
            tests = f", {step.tests} tests" if step.tests is not None else ""
            print(f"\n== {step.name}: {state} in {seconds:.0f} s{tests}\n{shown.rstrip()}", flush=True)
            self.done.add(step.name)
            self.change.notify_all()
        if problem:
            for process in list(RUNNING):
                process.terminate()

    def missing(self, step):
        """Why a step of tests ran too few, if it did."""
        if step.tests is None or ARGUMENTS.record:
            return None
        recorded = json.loads(RECORD.read_text()).get(step.name, 1 if step.is_nightly else None)
        if recorded is None:
            return "how many tests it has is not recorded; --record writes it"
        return f"{step.tests} tests were run, and {recorded} are recorded" if step.tests < recorded else None

    def table(self):
        print(f"\n{'step':56} began  took  tests")
        for step, begin, seconds in self.times:
            print(f"{step.name:56} {begin:5.0f} {seconds:5.0f}  {step.tests if step.tests is not None else ''}")


def failures(text):
    """What tests that failed said, which is far above the end of a long log."""
    return [line for line in text.split("\n") if line.startswith(("✘", "↳"))][:60]


def with_needs(names):
    steps = {step.name: step for step in STEPS}
    wanted, todo = set(), [name for name in steps if any(part in name for part in names)]
    if not todo:
        sys.exit(f"no step has one of these in its name: {', '.join(names)}")
    while todo:
        name = todo.pop()
        wanted.add(name)
        todo += [need for need in steps[name].needs if need not in wanted]
    return [step for step in STEPS if step.name in wanted]


def main():
    steps = with_needs(ARGUMENTS.only) if ARGUMENTS.only else [step for step in STEPS if not step.is_nightly]
    if ARGUMENTS.list:
        for step in steps:
            print(step.name)
        return 0
    checks = Checks(steps)
    checks.run()
    checks.table()
    if checks.failure:
        print("\n".join(["", *checks.failed_tests, "", f"check failed: {checks.failure}"]))
        return 1
    if ARGUMENTS.record:
        recorded = json.loads(RECORD.read_text()) if RECORD.exists() else {}
        recorded.update({step.name: step.tests for step in steps if step.tests is not None})
        RECORD.write_text(json.dumps(recorded, indent=2) + "\n")
    total = sum(step.tests or 0 for step in steps)
    print(f"\nAll checks passed in {time.monotonic() - checks.start:.0f} s.\n{total} passed, 0 failed")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="+", metavar="NAME")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--record", action="store_true")
    ARGUMENTS = parser.parse_args()
    sys.exit(main())
