"""Compares livestore-watch with `jq -c 'select(…)'` on the same lines, and measures its memory.

    python3 Scripts/check.py --only "build: optimised"
    python3 Scripts/compare-jq.py                        1,000,000 lines of 200 bytes in each shape
    python3 Scripts/compare-jq.py --lines 100000 --runs 1 few many

Prints, for each shape and way of running: the seconds of both (the least of the runs, which alternate), the ratio of
wall-clock and of processor time (above 1 the tool is faster), and the tool's peak memory per byte of input that lives
at the end, as a whole and without that of a run on a single line. The outputs are compared first: they must be equal.
Other work on the machine disturbs the wall-clock more than the processor time.
"""

import argparse
import hashlib
import json
import multiprocessing
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time

import built

ROOT = pathlib.Path(__file__).resolve().parent.parent
WORDS = "alpha bravo charlie delta echo foxtrot golf hotel india juliet".split()
LENGTH = 200


def few(number, pick):
    return {"id": number, "status": pick(["active", "idle", "failed", "done"]), "n": random.randrange(1000),
            "name": " ".join(pick(WORDS) for _ in range(8))}


def many(number, pick):
    return {"id": number, **{"k" + key: random.randrange(1000) for key in "abcdefghijklmno"},
            "status": pick(["active", "idle", "failed", "done"]), "n": random.randrange(1000)}


def nested(number, pick):
    return {"id": number, "meta": {"name": pick(WORDS), "labels": {"app": pick(WORDS), "tier": pick(WORDS)},
                                   "tags": [pick(WORDS) for _ in range(3)]},
            "status": {"phase": pick(["active", "idle"])}, "n": random.randrange(1000)}


def escapes(number, pick):
    return {"id": number, "n": random.randrange(1000), "text": "line \"q\" \\ \n é中文 " * 2 + pick(WORDS)}


def blanks(number, pick):
    return {"id": number, "price": random.randrange(100000) / 100, "n": random.randrange(1000),
            "name": " ".join(pick(WORDS) for _ in range(8))}


def updates(number, pick):
    return few(random.randrange(10_000), pick)


SHAPES = {
    "few": (few, (",", ":"), "few keys, new ids"), "many": (many, (",", ":"), "many keys"),
    "nested": (nested, (",", ":"), "nested"), "escapes": (escapes, (",", ":"), "escapes"),
    "blanks": (blanks, (", ", ": "), "blanks, decimals"),
    "updates": (updates, (",", ":"), "updates of 10,000 ids"),
}
WAYS = {"once": ["--once", "--output", "json"], "json": ["--output", "json"], "changes": ["--output", "changes"]}


def make(path, shape, lines, sizes):
    """Writes the lines, and gives how many bytes those have that are the last of their ids.

    In a process of its own: what it takes would count for the processes that this one starts."""
    function, separators, _ = SHAPES[shape]
    random.seed(shape)
    live = {}
    with open(path, "w", encoding="utf-8") as file:
        for number in range(lines):
            value = function(number, random.choice)
            text = json.dumps({**value, "pad": ""}, separators=separators)
            value["pad"] = "x" * max(0, LENGTH - 1 - len(text))
            text = json.dumps(value, separators=separators) + "\n"
            file.write(text)
            live[value["id"]] = len(text)
    sizes.put(sum(live.values()))


def run(command, path, output):
    """Wall-clock and processor seconds, and peak memory in bytes."""
    with open(path, "rb") as source, open(output, "wb") as target:
        start = time.monotonic()
        process = subprocess.Popen(command, stdin=source, stdout=target)
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.monotonic() - start
    if status != 0:
        sys.exit(f"{' '.join(command)}: status {status}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def digest(path, canonical):
    """A digest of the lines, whatever the form of numbers in them."""
    sum_ = hashlib.sha256()
    with open(path, encoding="utf-8") as file:
        for line in file:
            sum_.update(canonical(json.loads(line)).encode())
    return sum_.hexdigest()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("shapes", nargs="*", default=list(SHAPES), help=f"of {', '.join(SHAPES)}")
    parser.add_argument("--lines", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--least", type=int, default=900, help="lines with n from this on pass, of 0 to 999")
    parser.add_argument("--tool", default=str(built.FOLDER / "livestore-watch"))
    arguments = parser.parse_args()
    condition = f"n >= {arguments.least}"
    jq = ["jq", "-c", f"select(.{condition})"]
    with tempfile.TemporaryDirectory() as folder:
        path, theirs, ours, single = (f"{folder}/{name}" for name in ("lines", "theirs", "ours", "single"))
        pathlib.Path(single).write_text('{"id":1,"n":1}\n')
        print(f"{arguments.lines:,} lines of {LENGTH} bytes, {condition}, least of {arguments.runs} runs")
        print("shape    way      jq s  tool s  wall-clock ratio  processor ratio  memory a live byte (net)")
        for shape in arguments.shapes:
            sizes = multiprocessing.Queue()
            maker = multiprocessing.Process(target=make, args=(path, shape, arguments.lines, sizes))
            maker.start()
            live = sizes.get()
            maker.join()
            for way, options in WAYS.items():
                # From a file, as a user would: a file is read in transactions of 1,000 lines.
                tool = [arguments.tool, path, "--where", condition, *options]
                base = run([arguments.tool, single, "--where", condition, *options], single, ours)[2]
                times = [(run(jq, path, theirs), run(tool, path, ours)) for _ in range(arguments.runs)]
                if way == "once" and shape != "updates":
                    form = lambda value: json.dumps(value, sort_keys=True)
                    if digest(theirs, form) != digest(ours, form):
                        sys.exit(f"{shape}: the outputs differ")
                (jq_wall, jq_cpu), (wall, cpu) = (
                    (min(pair[side][0] for pair in times), min(pair[side][1] for pair in times)) for side in (0, 1))
                peak = min(pair[1][2] for pair in times)
                print(f"{shape:8} {way:8} {jq_wall:4.1f}  {wall:6.1f}  {jq_wall / wall:16.2f}  {jq_cpu / cpu:15.2f}"
                      f"  {peak / live:.2f} ({(peak - base) / live:.2f})", flush=True)


main()
