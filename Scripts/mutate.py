"""Makes the deliberate mistakes of Scripts/mutations.txt, one at a time, and sees whether tests catch them.

    python3 Scripts/mutate.py              all of them
    python3 Scripts/mutate.py tree- pause  those whose ids begin so
    python3 Scripts/mutate.py --check      checks that each can be made, and names all that cannot; builds nothing

Works on a copy of the working tree under the temporary directory (`--copy` names another), without the examples
and the tests of them, which is kept so that the next run builds only what differs. A test that fails, crashes or
takes longer than the limit, and without the mistake does not, has caught it. Exits with 1 if a mistake was not
caught, does not compile, or is not in the list as it should be.
"""

import argparse
import os
import pathlib
import re
import resource
import signal
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
# What tests the core, as Verification/Package.swift builds it for LIVESTORE_VERIFICATION=core.
FOLDERS = [
    "Sources", "Tests/TestSupport", "Tests/LiveStoreTests", "Tests/LiveStoreObservationTests", "Tests/StressTests",
    "Verification/Package.swift", "Verification/Repository", "Verification/Tests/FilterOracleTests"]
LIMIT = 600  # The longest suite takes four minutes in a debug build.
MEMORY = 8 << 30  # A mistake may allocate without end.


class Mutation:
    def __init__(self, heading):
        self.id, self.breaks = (part.strip() for part in heading.split(":", 1))
        self.file = self.tests = ""
        self.old, self.new = [], []

    def problem(self):
        """Why the mistake cannot be made, if it cannot."""
        old, new = "\n".join(self.old), "\n".join(self.new)
        if not self.tests:
            return f"{self.id}: no tests are named"
        if not old or old == new:
            return f"{self.id}: nothing is replaced"
        if not (ROOT / self.file).is_file():
            return f"{self.id}: there is no {self.file}"
        count = (ROOT / self.file).read_text().count(old)
        if count != 1:
            return f"{self.id}: the text is {count} times in {self.file}, not once:\n{old}"
        return None

    def text(self, source):
        """The file with the mistake in it."""
        return source.replace("\n".join(self.old), "\n".join(self.new))


def suites():
    """The names of the types in the folders of tests, suites among them."""
    names = set()
    for folder in FOLDERS:
        for path in (ROOT / folder).rglob("*.swift") if "Tests" in folder else []:
            names |= set(re.findall(r"\b(?:struct|class|actor|enum) (?:`([^`]+)`|(\w+))", path.read_text()))
    return {quoted or plain for quoted, plain in names}


def read_list():
    mutations = []
    for line in (ROOT / "Scripts/mutations.txt").read_text().splitlines():
        if line.startswith("== "):
            mutations.append(Mutation(line[3:]))
        elif not line or line.startswith("#"):
            continue
        elif line.startswith("tests: "):
            mutations[-1].tests = line[7:]
        elif line.startswith("- "):
            mutations[-1].old.append(line[2:])
        elif line.startswith("+"):
            mutations[-1].new.append(line[2:])
        elif not mutations[-1].file:
            mutations[-1].file = "Sources/LiveStore/" + line
        else:
            sys.exit(f"Scripts/mutations.txt: what is this? {line}")
    ids = [mutation.id for mutation in mutations]
    problems = [f"{name}: in the list twice" for name in sorted(set(ids)) if ids.count(name) > 1]
    problems += filter(None, (mutation.problem() for mutation in mutations))
    declared = suites()
    problems += [
        f"{mutation.id}: no suite is called {suite}"
        for mutation in mutations for suite in mutation.tests.split("|") if suite not in declared]
    if problems:
        sys.exit("\n".join(["Scripts/mutations.txt:", *problems]))
    return mutations


def copy_tree(copy):
    """Brings the copy up to date; files that are the same keep their dates, so they are not built again."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", *FOLDERS],
        cwd=ROOT, capture_output=True, check=True).stdout.decode()
    files = {name: (ROOT / name).read_bytes() for name in listed.split("\0") if (ROOT / name).is_file()}
    for path in copy.rglob("*"):
        name, parts = str(path.relative_to(copy)), path.relative_to(copy).parts
        if path.is_file() and ".build" not in parts and "Repository" not in parts and name not in files:
            path.unlink()
    link = copy / "Verification" / "Repository"
    link.parent.mkdir(exist_ok=True)
    if not link.is_symlink():
        link.symlink_to("..")
    for name, contents in files.items():
        target = copy / name
        if not target.exists() or target.read_bytes() != contents:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(contents)


def swift(copy, arguments, limit=None, memory=None):
    """Runs swift; its status, or None when it took longer than the limit, and what it printed."""
    def prepare():
        os.setsid()
        if memory:
            resource.setrlimit(resource.RLIMIT_AS, (memory, memory))

    process = subprocess.Popen(
        ["swift", *arguments], cwd=copy / "Verification", text=True, errors="replace", preexec_fn=prepare,
        env={**os.environ, "SWIFT_BACKTRACE": "enable=no", "LIVESTORE_THOROUGH": "1",
             "LIVESTORE_VERIFICATION": "core",
             # Long tests on all threads of the pool would keep the others from theirs until a watchdog ends them.
             "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH": "2"},
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        output, _ = process.communicate(timeout=limit)
        return process.returncode, output
    except subprocess.TimeoutExpired:
        end_session(process.pid)
        output, _ = process.communicate()
        return None, output


def end_session(session):
    """Ends a process that was started in a session of its own, and all that it started, in whatever groups."""
    listed = subprocess.run(["ps", "-A", "-o", "pid="], capture_output=True, text=True, check=True).stdout
    for number in map(int, listed.split()):
        try:
            if os.getsid(number) == session:
                os.kill(number, signal.SIGKILL)
        except ProcessLookupError:
            pass


def build(copy):
    return swift(copy, ["build", "--build-tests"])


def test(copy, pattern):
    return swift(
        copy, ["test", "--skip-build", "--disable-xctest", "--filter", pattern], LIMIT, MEMORY)


def verdict(copy, mutation):
    """How a mistake was caught, or why not."""
    status, output = build(copy)
    if status != 0:
        return False, "does not compile", "\n".join(
            line for line in output.splitlines() if "error:" in line)
    status, output = test(copy, mutation.tests)
    if status is None:
        return is_faster_without(copy, mutation), f"not done after {LIMIT} s", ""
    if status == 0:
        return False, "NOT CAUGHT", ""
    failed = re.findall(r"✘ Test (.+?)(?:\(.*?\))? failed after", output)
    failed = [name for name in failed if not name.startswith("run ")]
    if not failed:
        return True, "crash", output
    return True, failed[0] + (f" and {len(failed) - 1} more" if len(failed) > 1 else ""), ""


def is_faster_without(copy, mutation):
    """Whether the same tests, without the mistake, are done within the limit: if not, the machine was busy."""
    (copy / mutation.file).write_text((ROOT / mutation.file).read_text())
    return build(copy)[0] == 0 and test(copy, mutation.tests)[0] == 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--copy", type=pathlib.Path, default=ROOT / ".build" / "mutations")
    arguments = parser.parse_args()
    mutations = read_list()
    if arguments.ids:
        mutations = [each for each in mutations if each.id.startswith(tuple(arguments.ids))]
    if arguments.check or not mutations:
        print(f"{len(mutations)} mutations")
        return 0 if mutations else 1

    copy = arguments.copy
    copy.mkdir(parents=True, exist_ok=True)
    copy_tree(copy)
    status, output = build(copy)
    if status != 0:
        sys.exit(output + "\nthe tests do not build as they are")
    _, tests = swift(copy, ["test", "list", "--skip-build"])
    for mutation in mutations:
        for suite in mutation.tests.split("|"):
            if suite not in tests:
                sys.exit(f"{mutation.id}: no test is called {suite}")
    status, output = swift(
        copy, ["test", "--skip-build", "--disable-xctest", "--filter",
               "|".join(sorted({each.tests for each in mutations}))])
    if status != 0:
        sys.exit(output + "\nthe tests fail as they are")

    survivors = 0
    for mutation in mutations:
        start = time.monotonic()
        target = copy / mutation.file
        source = (ROOT / mutation.file).read_text()
        target.write_text(mutation.text(source))
        try:
            is_caught, result, details = verdict(copy, mutation)
        finally:
            target.write_text(source)
        survivors += not is_caught
        result = "caught: " + result if is_caught else result
        print(f"{mutation.id:22} {mutation.breaks:75} {result} ({time.monotonic() - start:.0f} s)", flush=True)
        if details and not is_caught:
            print(details, flush=True)
    print(f"{len(mutations)} mutations, {survivors} not caught")
    return 1 if survivors else 0


sys.exit(main())
