"""Refuses code of Sources/LiveStore that uses what is declared in a room above its own.

Each folder is a room, and the list below is their order: a file may name types and top-level functions, constants and
operators of its own room and of those before it. `python3 Scripts/check-layers.py` prints every use that goes the other
way with file and line; with `--test` it plants such uses in copies and expects to see them reported.

Names are resolved without types, so members (`object.name`) are not looked at: what an extension adds belongs to the room
that the extension is in, and a member of a higher room can only be reached through a value whose type tells of it.
"""
import collections
import pathlib
import re
import sys
import tempfile

# From the lowest room to the highest.
ROOMS = [
    "Storage",  # the ordered tree, its difference, the id index: words and bytes
    "Values",  # comparing, hashing and showing values of any type
    "Patterns",  # wildcards and regular expressions in linear time
    "Words",  # the words of texts, and their keys
    "JSON",  # JSON values and their text
    "Language",  # the tree of what expressions and filters say, and what is known of it alone
    "Model",  # what users declare: entities, schemas, relations
    "Tables",  # catalog, tables and indexes of one version, and reading them
    "Query",  # expressions, filters, plans, results: questions, and answering them once
    "Changes",  # change sets from the difference of two results
    "Transactions",  # the write lock, edits, commit, history
    "ImportExport",  # JSON of Codable entities, in and out
    "Maintenance",  # keeping results up to date
    "LiveQueries",  # registry, cursors, delivery, streams
    "Text",  # text filters and paths of dynamic schemas
    "Predicates",  # Foundation's predicates and sort descriptors
    "Store",  # the public face
]

SOURCES = pathlib.Path(__file__).resolve().parent.parent / "Sources" / "LiveStore"

TYPE = re.compile(r"^(?!.*\bprivate\b).*?\b(?:struct|class|enum|protocol|actor|typealias)\s+([A-Z]\w*)", re.M)
GLOBAL = re.compile(r"^(?!.*\bprivate\b).*?\b(?:func|let|var)\s+([A-Za-z_]\w*)", re.M)
LOCAL = re.compile(r"\b([a-z_]\w*)\s*:|\b(?:func|let|var|for|case)\s+\(?([a-z_]\w*)")
GENERICS = re.compile(r"\b(?:func\s+[^\s(<]+|(?:struct|class|enum|actor|typealias)\s+\w+|init[?]?|subscript)\s*<([^>(]*)>")


def code(text):
    """Swift without comments and literals, line by line as before; what is interpolated stays."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group(0))

    def literal(match):
        inside = " ".join(re.findall(r"\\\(((?:[^()]|\([^()]*\))*)\)", match.group(0)))
        return inside + "\n" * (match.group(0).count("\n") - inside.count("\n"))

    text = re.sub(r"//[^\n]*|/\*.*?\*/", blank, text, flags=re.S)
    text = re.sub(r'"""(?:.*?)"""', literal, text, flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', literal, text)


def at_top_level(text):
    """The text outside all braces, each declaration in its place."""
    depth, kept = 0, []
    for character in text:
        if character == "}":
            depth -= 1
        kept.append(character if depth == 0 or character == "\n" else " ")
        if character == "{":
            depth += 1
    return "".join(kept)


def wrong_uses(sources):
    files = {path: code(path.read_text()) for path in sorted(sources.rglob("*.swift"))}
    room_of = {path: path.relative_to(sources).parts[0] for path in files}
    problems = [f"{path.relative_to(sources)}: {room} is no room" for path, room in room_of.items() if room not in ROOMS]
    if problems:
        return problems
    homes = collections.defaultdict(set)
    for path, text in files.items():
        top = at_top_level(text)
        for name in TYPE.findall(top) + GLOBAL.findall(top):
            homes[name].add(path)
    for path, text in files.items():
        # Names of its own, which hide those of others.
        parameters = {
            name.split(":")[0].replace("each ", "").replace("let ", "").strip()
            for names in GENERICS.findall(text) for name in names.split(",")}
        for number, line in enumerate(text.split("\n"), 1):
            for match in re.finditer(r"(?<![\w.])([A-Za-z_]\w*)", line):
                name = match.group(1)
                if name not in homes or name in parameters or path in homes[name]:
                    continue
                lowest = min((room_of[home] for home in homes[name]), key=ROOMS.index)
                if ROOMS.index(lowest) > ROOMS.index(room_of[path]):
                    problems.append(f"{path.relative_to(sources)}:{number}: {name} is declared above it, in {lowest}")
    return problems


def test():
    """Plants uses that go the wrong way, and one that does not."""
    planted = [
        ("Storage", "struct Wrong { var store: Store? }", True),
        ("Query", "func wrong(_ value: [Snapshot]) {}", True),
        ("Changes", "extension Int { func wrong() { _ = MaintainedQuery.self } }", True),
        ("Tables", "// a Store\nlet right = \"a Store\"", False),
        ("Store", "let right = TreeKey.self", False),
    ]
    for room, source, isWrong in planted:
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder)
            for path in SOURCES.rglob("*.swift"):
                target = copy / path.relative_to(SOURCES)
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(path.read_text())
            (copy / room / "Planted.swift").write_text(source)
            problems = [problem for problem in wrong_uses(copy) if "Planted" in problem]
            if bool(problems) != isWrong:
                sys.exit(f"check-layers.py: {source!r} in {room} was {'not ' if isWrong else ''}reported: {problems}")


if sys.argv[1:] == ["--test"]:
    test()
elif sys.argv[1:]:
    sys.exit(f"usage: {sys.argv[0]} [--test]")
else:
    problems = wrong_uses(SOURCES)
    print("\n".join(problems) or f"{len(ROOMS)} rooms, no use that goes upward")
    sys.exit(1 if problems else 0)
