#!/usr/bin/env python3
"""Best plan over lower bound, for each collective and size, on a network between ranks: a table.

    bench/bounds/bounds.py [--cli espalier] [--time-limit TIME] [FILE]

FILE is a network, or a testbed's description (testbed/examples/three-sites.json without one), taken
as what TCP can carry there. From the first rank, as simulated; beside each the bound in milliseconds.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "bench" / "grid-tcp"))

import cells  # noqa: E402
import networks  # noqa: E402


def plan(cli, network, cell, limit):
    """Seconds of the best plan, and those of its bound."""
    command = [cli, "plan", cell.collective, str(network), "--ranks", "--json"]
    if limit:
        command += ["--time-limit", limit]
    if cell.bytes:
        command += ["--bytes", str(cell.bytes)]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer["makespan"], answer["lower_bound"]


def milliseconds(seconds):
    return f"{1e3 * seconds:.0f}" if seconds >= 1 else f"{1e3 * seconds:.3g}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--cli", default=str(ROOT / "build" / "release" / "espalier"))
    parser.add_argument("--time-limit", help="of each plan, in place of the usual counted work")
    parser.add_argument("file", type=pathlib.Path, nargs="?", metavar="FILE",
                        default=ROOT / "testbed" / "examples" / "three-sites.json")
    options = parser.parse_args()
    print("| |", " | ".join(map(cells.size_name, cells.SIZES)), "|")
    print("| --- |", " | ".join(["---"] * len(cells.SIZES)), "|")
    with tempfile.TemporaryDirectory() as folder:
        network = networks.described(options.file, pathlib.Path(folder) / "network.json")
        for collective in cells.COLLECTIVES:
            row = []
            for cell in cells.cells([collective], cells.SIZES):
                best, bound = plan(options.cli, network, cell, options.time_limit)
                row.append(f"{best / bound:.2f} ({milliseconds(bound)})")
            row += [""] * (len(cells.SIZES) - len(row))
            print(f"| {collective} |", " | ".join(row), "|", flush=True)


if __name__ == "__main__":
    main()
