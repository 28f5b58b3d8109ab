"""Each `@unchecked Sendable` and `nonisolated(unsafe)` stands beside a comment that says why it is right;
objects are read and written by address in one place, and no optional aggregate holds an unsafe pointer
(`Storage/ObjectMemory.swift` says why); nothing that input can reach may trap; no file is longer than it should be."""

import pathlib
import re
import subprocess
import sys

# Where memory is accessed by address: nodes and objects.
RAW = ("Sources/LiveStore/Storage/",)
RAW_ACCESS = (r"assumingMemoryBound|bindMemory|withMemoryRebound|initializeMemory|storeBytes|unsafeDowncast"
              r"|withUnsafe(Mutable)?Pointer\b|\bUnmanaged\b|\binitialize:|\bdeinitialize|\bmoveInitialize")

problems = []
files = subprocess.run(
    ["git", "ls-files", "--cached", "--others", "--exclude-standard", "*.swift"],
    capture_output=True, text=True, check=True).stdout.split()
for name in files:
    path = pathlib.Path(name)
    if not path.exists():
        continue
    lines = path.read_text(encoding="utf-8").splitlines()
    is_source = name.startswith(("Sources/", "Examples/"))
    limit = 500 if is_source else 700
    if len(lines) > limit:
        problems.append(f"{name}: {len(lines)} lines, more than {limit}")
    for number, line in enumerate(lines, 1):
        code = line.split("//")[0]
        where = f"{name}:{number}"
        if re.search(r"@unchecked Sendable|nonisolated\(unsafe\)", code):
            near = lines[max(0, number - 5):number]
            if "//" not in line and not any("//" in other for other in near):
                problems.append(f"{where}: unchecked concurrency without its proof")
        if "@exclusivity(unchecked)" in code and "Overlapping access" not in "\n".join(lines):
            problems.append(f"{where}: unchecked access in a file that does not say why it cannot overlap")
        if is_source and re.search(r"\btry!|\bas!|\bfatalError\(", code):
            problems.append(f"{where}: may trap")
        if name.startswith("Tests/") and re.search(r"Task\.sleep|Thread\.sleep|\busleep\(|\bsleep\(", code):
            problems.append(f"{where}: a test sleeps")
        if name.startswith("Sources/") and not name.startswith(RAW) and re.search(RAW_ACCESS, code):
            problems.append(f"{where}: raw access to memory outside {RAW[0]}")
        if is_source and re.search(r"\([^()]*\bUnsafe\w*Pointer\b(<[^()]*>)?[^()?]*,[^()]*\)\?|"
                                   r"\([^()]*,[^()]*\bUnsafe\w*Pointer\b(<[^()]*>)?\)\?", code):
            problems.append(f"{where}: an optional tuple with an unsafe pointer, which the optimiser tests wrongly for nil")
        if re.search(r"\b(TODO|FIXME|XXX)\b", line):
            problems.append(f"{where}: left to do without an issue")
if problems:
    sys.exit("\n".join(problems))
print(f"{len(files)} files")
