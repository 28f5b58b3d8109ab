"""Where the optimised libraries and programs are that the checks look at."""
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
FOLDER = ROOT / ".build" / "optimised" / "release"
HINT = "run python3 Scripts/check.py --only 'build: optimised' first"


def modules(*libraries):
    """The folder of the modules, which has those of these libraries."""
    for library in libraries:
        if not (FOLDER / "Modules" / f"{library}.swiftmodule").exists():
            sys.exit(f"{library} is not built: {HINT}")
    return FOLDER / "Modules"


def program(name):
    """The path of a program."""
    if not (FOLDER / name).exists():
        sys.exit(f"{name} is not built: {HINT}")
    return FOLDER / name
