"""Each numbered invariant of Documentation/Design.md is cited by the code that upholds it or the tests that check it,
as `(X9)` or `(X9, Y9)` in a comment, and each citation in Sources names an invariant that is defined.

    python3 Scripts/check-invariants.py

An invariant is defined by its number in bold: in Design.md, or in the comment of a type that has its own.
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
DESIGN = ROOT / "Documentation" / "Design.md"
DEFINITION = re.compile(r"\*\*([A-Z]\d{1,2})\*\*")
CITATION = re.compile(r"\(([A-Z]\d{1,2}(?:, [A-Z]\d{1,2})*)\)")


def comments(folder):
    """Each comment line of a folder's Swift files, with its place."""
    for path in sorted((ROOT / folder).rglob("*.swift")):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if "//" in line:
                yield f"{path.relative_to(ROOT)}:{number}", line[line.index("//"):]


problems, places, cited, citations = [], {}, set(), []
for number, line in enumerate(DESIGN.read_text(encoding="utf-8").splitlines(), 1):
    for name in re.findall(r"^- " + DEFINITION.pattern, line):
        if name in places:
            problems.append(f"Documentation/Design.md:{number}: {name} is defined twice")
        places[name] = f"Documentation/Design.md:{number}"
defined = set(places)
for place, comment in [*comments("Sources"), *comments("Integrations/SQLite/Sources"),
                       *comments("Integrations/PostgreSQL/Sources")]:
    own = DEFINITION.findall(comment)
    defined.update(own)
    cited.update(own)
    citations += [(place, name) for group in CITATION.findall(comment) for name in group.split(", ")]
cited.update(name for _, name in citations)
for _, comment in comments("Tests"):
    cited.update(name for group in CITATION.findall(comment) for name in group.split(", "))

problems += [f"{place}: {name} is not defined" for place, name in citations if name not in defined]
problems += [f"{place}: {name} is cited nowhere" for name, place in places.items() if name not in cited]
if len(places) < 80:
    problems.append(f"Documentation/Design.md: only {len(places)} invariants were found")
if problems:
    sys.exit("\n".join(problems))
print(f"{len(places)} invariants")
