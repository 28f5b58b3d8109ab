"""Where the optimised libraries and programs are that the checks look at."""
import pathlib
import subprocess
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


def module_maps():
    """Where the compiler finds modules of C: as they are in sources, or as the package manager made them."""
    folders = {path.parent for path in (ROOT / ".build/optimised").glob("checkouts/*/**/module.modulemap")}
    folders |= {path.parent for path in (ROOT / "Integrations").glob("*/Sources/*/module.modulemap")}
    folders.add(ROOT / "Sources/CPrefetch/include")
    made = sorted(FOLDER.glob("*.build/module.modulemap"))
    headers = subprocess.run(["pkg-config", "--cflags-only-I", "libpq"], capture_output=True, text=True).stdout.split()
    return [
        *(f"-I{folder}" for folder in sorted(folders)), *(flag for header in headers for flag in ("-Xcc", header)),
        *(flag for path in made for flag in ("-Xcc", f"-fmodule-map-file={path}"))]
