"""Each numbered invariant is cited by code that upholds it or tests that check it, as `(X9)` or `(X9, Y9)` in a comment,
and each citation in Sources names an invariant that is defined.

    python3 Scripts/check-invariants.py

An invariant is defined once, by its number in bold: at the head of the file that upholds it, or in the Design.md of a
package beside the root.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PACKAGES = [ROOT / "Integrations" / "SQLite", ROOT / "Integrations" / "PostgreSQL"]
DEFINITION = re.compile(r"\*\*([A-Z]\d{1,2})\*\*")
CITATION = re.compile(r"\(([A-Z]\d{1,2}(?:, [A-Z]\d{1,2})*)\)")


def lines(path):
    """Each line of a file, with its place."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        yield f"{path.relative_to(ROOT)}:{number}", line


def comments(folder):
    """Each comment line of a folder's Swift files, with its place."""
    for path in sorted(folder.rglob("*.swift")):
        yield from ((place, line[line.index("//"):]) for place, line in lines(path) if "//" in line)


sources = [*comments(ROOT / "Sources"), *(line for package in PACKAGES for line in comments(package / "Sources"))]
documents = [line for package in PACKAGES for line in lines(package / "Design.md")]
problems, places, cited, citations = [], {}, set(), []
for place, text in sources + documents:
    for name in DEFINITION.findall(text):
        # A type that has its own upholds them.
        if text.startswith("///"):
            cited.add(name)
        if name in places:
            problems.append(f"{place}: {name} is defined twice")
        places[name] = place
for place, comment in sources:
    citations += [(place, name) for group in CITATION.findall(comment) for name in group.split(", ")]
cited.update(name for _, name in citations)
for _, comment in comments(ROOT / "Tests"):
    cited.update(name for group in CITATION.findall(comment) for name in group.split(", "))

problems += [f"{place}: {name} is not defined" for place, name in citations if name not in places]
problems += [f"{place}: {name} is cited nowhere" for name, place in places.items() if name not in cited]
if len(places) < 170:
    problems.append(f"only {len(places)} invariants were found")
if problems:
    sys.exit("\n".join(problems))
print(f"{len(places)} invariants")
