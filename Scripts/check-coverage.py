"""Line coverage of Sources/, file by file, from the export that `swift test --enable-code-coverage` leaves.

    swift test --enable-code-coverage && python3 Scripts/check-coverage.py --uncovered

Exits with 1 below the minimum, which is of all lines together.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys

parser = argparse.ArgumentParser()
parser.add_argument("export", nargs="?", help="the JSON export; that of `swift test` without it")
parser.add_argument("--minimum", type=float, default=95, help="percent of the lines (95)")
parser.add_argument("--uncovered", action="store_true", help="print the lines that were not run, too")
arguments = parser.parse_args()


def line_counts(segments):
    """How often each line with code was run.

    As llvm-cov counts: of a line, the most often run region that starts on it or goes on from the lines before.
    Segments are (line, column, count, has a count, is the start of a region, is a gap) in order.
    """
    starts = {}
    for segment in segments:
        starts.setdefault(segment[0], []).append(segment)
    counts, before = {}, None
    for line in range(segments[0][0], segments[-1][0] + 1) if segments else ():
        here = starts.get(line, [])
        regions = [segment[2] for segment in here if segment[3] and segment[4] and not segment[5]]
        is_skipped = bool(here) and here[0][4] and not here[0][3]
        goes_on = before is not None and before[3]
        if regions or (goes_on and not is_skipped):
            counts[line] = max(regions + ([before[2]] if goes_on else []))
        before = here[-1] if here else before
    return counts


def ranges(lines):
    """Ascending numbers as text: 3, 5-7."""
    parts = []
    for line in lines:
        if parts and parts[-1][1] == line - 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return ", ".join(str(low) if low == high else f"{low}-{high}" for low, high in parts)


path = arguments.export or subprocess.run(
    ["swift", "test", "--show-codecov-path"], capture_output=True, text=True, check=True).stdout.strip()
export = json.loads(pathlib.Path(path).read_text())
total = covered = 0
for file in sorted(export["data"][0]["files"], key=lambda file: file["filename"]):
    _, separator, name = file["filename"].rpartition(os.sep + "Sources" + os.sep)
    if not separator or not name.startswith(("LiveStore/", "LiveStoreObservation/")):
        continue
    counts = line_counts(file["segments"])
    missed = sorted(line for line, count in counts.items() if count == 0)
    total += len(counts)
    covered += len(counts) - len(missed)
    if counts:
        print(f"{100 - 100 * len(missed) / len(counts):6.1f} %  {len(counts):4}  {name}")
    if missed and arguments.uncovered:
        print(f"{'':16}{ranges(missed)}")
if total == 0:
    sys.exit(f"{path} tells nothing of Sources/")
percent = 100 * covered / total
print(f"{percent:6.2f} % of {total} lines")
if percent < arguments.minimum:
    sys.exit(f"coverage is below {arguments.minimum} %")
