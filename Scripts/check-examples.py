#!/usr/bin/env python3
"""Compiles and runs the Swift code of README.md and of the documentation's articles, as a client pastes it.

    python3 Scripts/check-examples.py [file.md ...]
    python3 Scripts/check-examples.py --sqlite
    python3 Scripts/check-examples.py --server
    Scripts/with-postgresql.sh python3 Scripts/check-examples.py --postgresql

They are linked with the optimised libraries, as Scripts/check.py builds them.

Each file is one program: its blocks of Swift, one after another. It is made in four ways: as the top level of a
main.swift, under @main, in a target whose default isolation is the main actor, and in Swift 5 mode as a package with
tools 6.0 has it. Errors, warnings other than of unused values, and any other output than the documentation shows
fail the check. An HTML comment before a block says what else it is:

    <!-- example: output -->      what the program prints, in all
    <!-- example: manifest -->    a Package.swift, which has to resolve
    <!-- example: declarations --> compiled in all ways, with nothing to run
    <!-- example: apart -->       a scope of its own, so that its names may be those of another block
    <!-- example: hidden ... -->  code that is needed and not shown

A block in `#if canImport(SwiftUI)` is compiled where there is SwiftUI. With --postgresql, the blocks of SQL of the README are
run first, in a new database each time.
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import built

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORK = ROOT / ".build" / "examples"
LIBRARIES = ["LiveStore", "LiveStoreObservation"]
SQLITE = ROOT / "Integrations" / "SQLite"
# With what it is linked with.
SQLITE_LIBRARIES = [
    "LiveStore", "LiveStoreSQLite", "GRDB", "Crypto", "CryptoBoringWrapper", "CCryptoBoringSSL", "CCryptoBoringSSLShims",
    "CXKCP", "CXKCPShims"]

POSTGRESQL = ROOT / "Integrations" / "PostgreSQL"
POSTGRESQL_LIBRARIES = ["LiveStore", "LiveStorePostgreSQL"]

SERVER = ROOT / "Integrations" / "Server"
SERVER_LIBRARIES = ["LiveStore", "LiveStoreFollower", "LiveStoreServer", "LiveStoreStreams"]

# At the top level of a main.swift Swift takes the blocking `write` and warns of the await; the rest is of examples.
ALLOWED = [
    "was never used", "is unused", "was never mutated", "was never read",
    "no 'async' operations occur within 'await' expression",
]

DECLARATION = re.compile(
    r"(@\w+(\([^)]*\))?\s+)*((public|private|nonisolated|final|indirect|@MainActor)\s+)*"
    r"(struct|enum|class|actor|extension|protocol|func|typealias|#if canImport)\b")


class Block:
    def __init__(self, text, line, kind):
        self.text, self.line, self.kind = text, line, kind


def blocks(path):
    """The examples of a Markdown file."""
    lines = path.read_text().split("\n")
    found, kind, index = [], "", 0
    while index < len(lines):
        line = lines[index].strip()
        start = index + 1
        if line.startswith("<!-- example: hidden"):
            end = next(i for i in range(index, len(lines)) if "-->" in lines[i])
            found.append(Block("\n".join(lines[start:end]), start + 1, "hidden"))
            index = end
        elif match := re.fullmatch(r"<!-- example: (\w+) -->", line):
            kind = match[1]
        elif line.startswith("```"):
            end = next(i for i in range(start, len(lines)) if lines[i].strip() == "```")
            language = line[3:].strip()
            if language == "swift" or kind == "output":
                found.append(Block("\n".join(lines[start:end]), start + 1, kind))
            elif kind:
                sys.exit(f"{path}:{start}: a block of {language or 'nothing'} cannot be {kind}")
            kind, index = "", end
        elif line:
            kind = ""
        index += 1
    return found


def items(text):
    """Splits Swift into declarations, which can stand at the top of any file, and statements."""
    imports, declarations, statements, attributes = [], [], [], []
    target = statements
    for line in text.split("\n"):
        begins = line and not line[0].isspace() and line[0] not in "}])#" or line.startswith("#if")
        if begins:
            if line.startswith("import "):
                imports.append(line)
                continue
            if line.startswith("//"):
                target = None
            else:
                target = declarations if DECLARATION.match(line) else statements
        if target is None:
            attributes.append(line)
            continue
        target.extend(attributes)
        attributes = []
        target.append(line)
    return imports, declarations, statements


def program(path, found, is_main):
    """One file of Swift from the blocks of a file; with `is_main`, under @main."""
    imports, declarations, statements = {"import LiveStore"}, [], []
    for block in found:
        if block.kind in ("output", "manifest"):
            continue
        lines, types, code = items(block.text)
        imports.update(lines)
        place = f'#sourceLocation(file: "{path.relative_to(ROOT)}", line: {block.line})'
        if is_main:
            declarations += types
        else:
            code = [line for line in block.text.split("\n") if not line.startswith("import ")]
            types = []
        if block.kind == "declarations" and any(line.strip() for line in code) and is_main:
            sys.exit(f"{path}:{block.line}: a block of declarations has statements")
        if block.kind == "apart":
            code = ["do {"] + code + ["}"]
        statements += ([place] if not is_main else []) + code
    text = sorted(imports)
    if is_main:
        # Top-level code belongs to the main actor; so does this.
        text += declarations + ["@main struct Example {", "  @MainActor static func main() async throws {"]
        text += statements + ["  }", "}"]
    else:
        text += statements
    return "\n".join(text) + "\n"


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


class Products:
    """The libraries that an example is linked with."""

    def __init__(self, libraries):
        self.modules = built.modules(*(library for library in libraries if not library.startswith("C")))
        self.objects = [
            str(o) for library in libraries for o in sorted((built.FOLDER / f"{library}.build").rglob("*.o"))]
        self.flags = []
        if "GRDB" in libraries:
            maps = [
                *(ROOT / ".build/optimised").glob("checkouts/*/Sources/**/module.modulemap"),
                *SQLITE.glob("Sources/*/module.modulemap")]
            self.flags = [
                "-lsqlite3", "-lc++" if sys.platform == "darwin" else "-lstdc++", *(f"-I{path.parent}" for path in maps)]


class ServerProducts(Products):
    """The same with all that servers are linked with, which are many: the libraries of all other packages."""

    def __init__(self):
        super().__init__(SERVER_LIBRARIES)
        manifests = [path.read_text() for path in (ROOT / ".build/optimised").glob("checkouts/*/Package.swift")]
        others = {name for text in manifests for name in re.findall(r'"(\w+)"', text)}
        for folder in sorted(built.FOLDER.glob("*.build")):
            if folder.stem in others and "Test" not in folder.stem and folder.stem not in SERVER_LIBRARIES:
                self.objects += [str(o) for o in sorted(folder.rglob("*.o"))]
        self.flags = [
            "-lz", "-lsqlite3", "-lc++" if sys.platform == "darwin" else "-lstdc++", *built.module_maps()]


def new_database(path):
    """Makes a database with what the blocks of SQL of a README make."""
    server = os.environ["DATABASE_URL"]
    run(["psql", server, "-qc", "DROP DATABASE IF EXISTS example WITH (FORCE)"])
    run(["psql", server, "-qc", "CREATE DATABASE example"])
    example = server.replace("/postgres?", "/example?")
    sql = re.findall(r"^```sql\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)
    result = run(["psql", example, "-v", "ON_ERROR_STOP=1", "-q"], input="\n".join(sql))
    if result.returncode != 0:
        sys.exit(f"{path}: {result.stderr}")
    return {**os.environ, "DATABASE_URL": example}


def compile_(source, output, flags, products):
    return run(
        ["swiftc", "-module-name", "Example", "-I", str(products.modules),
         "-I", str(ROOT / "Sources/CPrefetch/include"), *flags, str(source), *products.objects, *products.flags,
         "-o", str(output)], cwd=ROOT)


def complaints(text):
    """Errors, and warnings that are not allowed."""
    found = re.findall(r"^[^\s|]+:\d+:\d+: (?:error|warning): .*$", text, re.MULTILINE)
    return [line for line in found if not any(allowed in line for allowed in ALLOWED)]


MODES = [
    ("at top level", False, ["-swift-version", "6"]),
    ("under @main", True, ["-swift-version", "6", "-parse-as-library"]),
    ("with defaultIsolation(MainActor)", False, ["-swift-version", "6", "-default-isolation", "MainActor"]),
    ("in Swift 5 mode", False, ["-swift-version", "5"]),
]


def check_program(path, found, products):
    # Checks of several packages may run beside each other.
    name = "-".join(path.relative_to(ROOT).with_suffix("").parts).replace(" ", "")
    expected = [block.text for block in found if block.kind == "output"]
    failures = 0
    for number, (mode, is_main, flags) in enumerate(MODES):
        folder = WORK / f"{name}-{number}"
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / ("Example.swift" if is_main else "main.swift")
        source.write_text(program(path, found, is_main))
        result = compile_(source, folder / "example", flags, products)
        problems = complaints(result.stdout + result.stderr)
        if not problems and result.returncode != 0:
            problems = [result.stderr.strip() or f"the compiler ended with status {result.returncode}"]
        if not problems:
            try:
                environment = new_database(path) if path == POSTGRESQL / "README.md" else None
                ran = run([str(folder / "example")], timeout=120, env=environment)
                if ran.returncode != 0:
                    problems = [f"it ended with status {ran.returncode}: {ran.stderr.strip()}"]
                elif ran.stdout.strip() != "\n".join(expected).strip():
                    problems = [f"it printed\n{ran.stdout}instead of\n" + "\n".join(expected)]
            except subprocess.TimeoutExpired:
                problems = ["it did not end within two minutes"]
        for problem in problems:
            print(f"{path.relative_to(ROOT)} {mode}: {problem}", file=sys.stderr)
        failures += len(problems)
    return failures


def check_manifest(path, block, first):
    """Resolves a manifest whose package of this name is this folder, with the first example as its code."""
    folder = WORK / "App"
    (folder / "Sources" / "App").mkdir(parents=True, exist_ok=True)
    link = WORK / "livestore"
    link.unlink(missing_ok=True)
    link.symlink_to(ROOT)
    (folder / "Package.swift").write_text(block.text + "\n")
    (folder / "Sources" / "App" / "main.swift").write_text(first.text + "\n")
    result = run(["swift", "package", "show-dependencies"], cwd=folder)
    if result.returncode == 0 and "error" not in result.stderr:
        return 0
    print(f"{path.relative_to(ROOT)}: its Package.swift does not resolve: {result.stderr}", file=sys.stderr)
    return 1


def main():
    arguments = sys.argv[1:]
    names = []
    if arguments[:1] == ["--sqlite"]:
        paths = [SQLITE / "README.md", *sorted((SQLITE / "Sources").glob("*/*.docc/*.md"))]
        products = Products(SQLITE_LIBRARIES)
    elif arguments[:1] == ["--server"]:
        paths = [SERVER / "README.md", *sorted((SERVER / "Sources").glob("*/*.docc/*.md"))]
        products = ServerProducts()
    elif arguments[:1] == ["--postgresql"]:
        paths = [POSTGRESQL / "README.md", *sorted((POSTGRESQL / "Sources").glob("*/*.docc/*.md"))]
        products = Products(POSTGRESQL_LIBRARIES)
        headers = run(["pkg-config", "--cflags-only-I", "libpq"]).stdout.split()
        products.flags = ["-lpq", f"-I{POSTGRESQL}/Sources/CPostgreSQL", *(f for h in headers for f in ("-Xcc", h))]
    else:
        names = arguments
        articles = sorted((ROOT / "Sources").glob("*/*.docc/*.md"))
        paths = [pathlib.Path(name).resolve() for name in names] or [ROOT / "README.md", *articles]
        products = Products(LIBRARIES)
    failures = checked = 0
    programs = []
    for path in paths:
        found = blocks(path)
        code = [block for block in found if block.kind not in ("output", "manifest", "hidden")]
        for block in found:
            if block.kind == "manifest":
                failures += check_manifest(path, block, code[0])
        if code:
            programs.append((path, found))
            checked += len(code)
    # A compiler at a time uses one processor.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failures += sum(pool.map(lambda program: check_program(*program, products), programs))
    if failures:
        sys.exit(f"{failures} of the examples' compilations fail")
    if not names and checked < 4:
        sys.exit(f"only {checked} examples were found")
    print(f"{checked} examples of {len(paths)} files compile and run in {len(MODES)} ways")


if __name__ == "__main__":
    main()
