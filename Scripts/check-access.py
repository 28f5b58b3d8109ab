#!/usr/bin/env python3
"""Packages beside the root use what is public of the libraries: Verification/Package.swift compiles them as one package
with it, where they might use more.

    python3 Scripts/check-access.py
"""
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

import built

ROOT = built.ROOT
# The sources of what a user of each package gets, and of its clients.
CLIENTS = {
    "LiveStoreCombine": "Integrations/Combine/Sources/LiveStoreCombine",
    "LiveStorePostgreSQL": "Integrations/PostgreSQL/Sources/LiveStorePostgreSQL",
    "LiveStoreStreams": "Integrations/Server/Sources/LiveStoreStreams",
    "LiveStoreFollower": "Integrations/Server/Sources/LiveStoreFollower",
    "LiveStoreServer": "Integrations/Server/Sources/LiveStoreServer",
    "LiveStoreSQLite": "Integrations/SQLite/Sources/LiveStoreSQLite",
    "live_feed": "Integrations/PostgreSQL/Examples/LiveFeed",
    "dashboard": "Integrations/Server/Examples/Dashboard",
    "figures": "Benchmarks/Sources/Figures",
    "regressions": "Benchmarks/Sources/Regressions",
    "OracleSupport": "Verification/Sources/OracleSupport",
}
FEATURES = re.findall(r'\.enableUpcomingFeature\("(\w+)"\)', (ROOT / "Package.swift").read_text())


def problems(module, folder, flags):
    """What of a module that is compiled as a client's is not accessible."""
    sources = [path for path in sorted((ROOT / folder).rglob("*.swift"))]
    # What the package manager makes of its resources.
    sources += sorted((built.FOLDER / f"{module}.build" / "DerivedSources").glob("*.swift"))
    result = subprocess.run(
        ["swiftc", "-typecheck", "-swift-version", "6", "-module-name", module, "-package-name", "client",
         *(["-parse-as-library"] if not any(path.name == "main.swift" for path in sources) else []), *flags,
         *map(str, sources)], capture_output=True, text=True)
    if result.returncode == 0:
        return []
    found = re.findall(r"^(/\S+: error: .*)$", result.stderr, re.MULTILINE)
    return found or [result.stderr]


def main():
    modules = built.modules("LiveStore", "LiveStoreObservation")
    features = [flag for feature in FEATURES for flag in ("-enable-upcoming-feature", feature)]
    plain = ["-I", str(modules), *built.module_maps()]

    def check(client):
        module, folder = client
        return problems(module, folder, plain if folder.startswith(("Benchmarks", "Verification")) else plain + features)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        failed = [problem for found in pool.map(check, CLIENTS.items()) for problem in found]
    if failed:
        sys.exit("\n".join(sorted(set(failed))))
    print(f"{len(CLIENTS)} clients use what is public")


main()
