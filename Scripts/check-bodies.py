#!/usr/bin/env python3
"""Bodies of writes that must not compile: each is an error that says what is wrong, and none crashes the compiler.

    python3 Scripts/check-bodies.py

What must compile is in Tests/LiveStoreTests/Transactions/TransactionBodyTests.swift.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

import built

ROOT = pathlib.Path(__file__).resolve().parent.parent
ESCAPES = "captures 'inout' parameter 'tx'"
CONSUMED = "missing reinitialization of inout parameter 'tx' after consume"

# What the body says, and what the error says of it.
BODIES = [
    ("let add = { (n: Int) in try tx.insert(Item(id: n)) }\n try add(1)", ESCAPES),
    ("let add: (Int) throws -> Void = { try tx.insert(Item(id: $0)) }\n try add(1)", ESCAPES),
    ("var add: (() throws -> Void)? = { try tx.insert(Item(id: 1)) }\n try add?()\n add = nil", ESCAPES),
    ("let all = [{ try tx.insert(Item(id: 1)) }]\n try all[0]()", ESCAPES),
    ("func add() throws { try tx.insert(Item(id: 1)) }\n let kept = add\n try kept()", ESCAPES),
    ("func add() throws { try tx.insert(Item(id: 1)) }\n keep(add)", ESCAPES),
    ("func add() throws { try tx.insert(Item(id: 1)) }\n Task { try add() }", ESCAPES),
    ("Task { try tx.insert(Item(id: 1)) }", ESCAPES),
    ("Task.detached { try tx.insert(Item(id: 1)) }", ESCAPES),
    ("DispatchQueue.global().async { try? tx.insert(Item(id: 1)) }", "capture of 'tx'"),
    ("keep { try tx.insert(Item(id: 1)) }", ESCAPES),
    ("for item in [1].lazy.map({ tx[Item.self, $0] }) { _ = item }", ESCAPES),
    ("_ = AnySequence { AnyIterator { tx[Item.self, 1] } }", ESCAPES),
    ("let add: @Sendable () throws -> Void = { try tx.insert(Item(id: 1)) }\n try add()", "capture of 'tx'"),
    ("try [1].forEach { [tx] in try tx.insert(Item(id: $0)) }", CONSUMED),
    ("let other = tx\n try other.insert(Item(id: 1))", CONSUMED),
    ("consume(tx)", CONSUMED),
    ("let any: Any = tx\n _ = any", "does not conform to specified type 'Copyable'"),
    ("struct Count { var value: Int { tx.count(Item.all) } }\n _ = Count().value", "cannot close over value 'tx'"),
]

# The ways to be given a transaction.
CALLS = [
    "func blocking(_ store: Store) throws {\n try store.write { tx in\n %s\n }\n}\n",
    "func asynchronous(_ store: Store) async throws {\n try await store.write { tx in\n %s\n }\n}\n",
    "func optimistic(_ store: Store) async throws {\n try await store.transaction { tx in\n await Task.yield()\n %s\n }\n}\n",
    "func part(_ store: Store) throws {\n try store.write { tx in try tx.savepoint { tx in\n %s\n } }\n}\n",
]

START = """import Dispatch
import LiveStore
struct Item: Entity { let id: Int; static let schema = Schema<Item> {} }
func keep(_ body: @escaping () throws -> Void) {}
func consume(_ tx: consuming WriteTransaction) {}
"""


def problems(bodies, modules, file):
    """What is wrong with what the compiler says of some bodies, all in one file."""
    text, calls = START, []
    for body, message in bodies:
        for call in CALLS:
            first = text.count("\n") + 1
            # Names of functions are taken once.
            text += (call % body).replace("(_ store", f"{len(calls)}(_ store", 1)
            calls.append((body, message, range(first, text.count("\n") + 1)))
    file.write_text(text)
    done = subprocess.run(
        ["swiftc", "-swift-version", "6", "-parse-as-library", "-emit-sil", "-o", "/dev/null", "-I", str(modules),
         "-I", str(ROOT / "Sources/CPrefetch/include"), str(file)], capture_output=True, text=True)
    if done.returncode != 1 or "Stack dump" in done.stderr:
        return [f"status {done.returncode}, not an error:\n{done.stderr}"]
    said = re.findall(rf"^{re.escape(str(file))}:(\d+):\d+: error: (.*)$", done.stderr, re.MULTILINE)
    found = []
    for body, message, lines in calls:
        errors = [error for line, error in said if int(line) in lines]
        if not any(message in error for error in errors):
            found.append(f"not «{message}» but {errors} of\n{body}")
    return found


def main():
    modules = built.modules("LiveStore")
    # A file with errors of types is not looked at for others, so these are in one of their own.
    typed = [each for each in BODIES if each[1] not in (ESCAPES, CONSUMED)]
    others = [each for each in BODIES if each not in typed]
    failures = []
    with tempfile.TemporaryDirectory() as folder:
        for name, bodies in [("types.swift", typed), ("others.swift", others)]:
            failures += problems(bodies, modules, pathlib.Path(folder) / name)
    if failures:
        sys.exit("\n\n".join(failures) + f"\n{len(failures)} bodies are not refused as they should be")
    print(f"{len(BODIES)} bodies are refused, each in {len(CALLS)} kinds of calls")


main()
