#!/usr/bin/env python3
"""Plants faults on testbeds and asks `espalier doctor` what is wrong.

    bench/doctor/bench.py --build build/release --seeds 1000 --faults 60 --healthy 20 -o results.json
    bench/doctor/bench.py --table results.json

One fault at a time, of each kind by turns, on the networks by turns, drawn by seeds that count up from
the first; then runs without any. A fault is named right if one finding has its cause and exactly its
hosts. Any other finding that is a fault is a false alarm, of that run and of healthy ones.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from faults import KINDS, Bed, draw

ROOT = Path(__file__).resolve().parent.parent.parent
NETWORKS = {"three-sites": "testbed/examples/three-sites.json", "one-rack": "bench/zoo/networks/one-rack.json",
            "two-clusters": "bench/zoo/networks/two-clusters.json", "metro": "bench/zoo/networks/metro.json"}


def examine(build, mpi, network, kind, seed):
    """One run: `kind` is an index into KINDS, or None."""
    work = Path(tempfile.mkdtemp(prefix="espalier-doctor-"))
    name = f"doctor-{os.getpid()}"
    testbed = str(build / "espalier-testbed")
    subprocess.run([testbed, "up", str(ROOT / NETWORKS[network]), "--name", name, "--congestion", "cubic"], check=True)
    bed = Bed(testbed, name, json.loads(subprocess.check_output([testbed, "hosts", "--name", name, "--json"])), work)
    row = {"network": network, "hosts": len(bed.hosts), "seed": seed, "kind": "healthy", "what": ""}
    try:
        plant = draw(bed, kind, seed) if kind is not None else None
        if plant:
            row.update(kind=plant.kind, what=plant.what)
            plant.plant()
        output = work / "doctor.json"
        words = bed.wrapped([str(build / f"espalier-doctor-{mpi}"), "--json", "-o", str(output)])
        began = time.monotonic()
        command = [testbed, "mpirun", mpi, "--name", name, "--eager", "--", *words]
        try:
            subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=60)
        except subprocess.TimeoutExpired:
            pass
        row["seconds"] = time.monotonic() - began
        findings = json.loads(output.read_text())["findings"] if output.exists() else []
        row["answered"] = output.exists()
        judge(row, plant, [finding for finding in findings if finding["kind"] == "fault"])
        if row["false"] or (plant and not row["right"]):
            keep = os.environ.get("DOCTOR_KEEP")
            if keep and output.exists():
                shutil.copy(output, Path(keep) / f"{network}-{seed}.json")
    finally:
        subprocess.run([testbed, "down", "--name", name], check=False)
        for undo in reversed(bed.leftovers):
            try:
                undo()
            except OSError:
                pass
        shutil.rmtree(work)
    return row


def judge(row, plant, findings):
    def names_it(finding):
        return finding["cause"] in plant.causes and sorted(finding["hosts"]) == sorted(plant.hosts)
    right = [finding for finding in findings if plant and names_it(finding)]
    row["right"] = bool(right)
    row["false"] = [{key: finding[key] for key in ("cause", "hosts", "where", "evidence")}
                    for finding in findings if finding not in right]


def table(rows):
    lines = ["| planted | runs | named right | other faults named |", "| --- | --- | --- | --- |"]

    def line(title, chosen, healthy=False):
        right = sum(row["right"] for row in chosen)
        false = sum(bool(row["false"]) for row in chosen)
        lines.append(f"| {title} | {len(chosen)} | {'' if healthy else right} | {false} |")
    planted = [row for row in rows if row["kind"] != "healthy"]
    healthy = [row for row in rows if row["kind"] == "healthy"]
    for kind in dict.fromkeys(row["kind"] for row in planted):
        line(kind, [row for row in planted if row["kind"] == kind])
    if planted:
        line("all", planted)
    if healthy:
        line("nothing", healthy, healthy=True)
    seconds = sorted(row["seconds"] for row in rows)
    wide = [row["seconds"] for row in rows if row["hosts"] == 25]
    lines.append(f"\nseconds of a run: median {seconds[len(seconds) // 2]:.1f}, longest {seconds[-1]:.1f}"
                 + (f"; of 25 hosts longest {max(wide):.1f}" if wide else ""))
    return "\n".join(lines)


def main():
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--build", type=Path, default=ROOT / "build/release")
    options.add_argument("--mpi", default="openmpi", choices=("openmpi", "mpich"))
    options.add_argument("--seeds", type=int, default=1000, help="the first seed")
    options.add_argument("--faults", type=int, default=60)
    options.add_argument("--healthy", type=int, default=20)
    options.add_argument("--kinds", help="only these, by number")
    options.add_argument("-o", "--output", type=Path)
    options.add_argument("--table", type=Path, help="print the table of an earlier output")
    chosen = options.parse_args()
    if chosen.table:
        print(table(json.loads(chosen.table.read_text())))
        return 0
    os.environ.update(OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    kinds = [int(kind) for kind in chosen.kinds.split(",")] if chosen.kinds else range(len(KINDS))
    rows = []
    for number in range(chosen.faults + chosen.healthy):
        kind = kinds[number % len(kinds)] if number < chosen.faults else None
        # Each kind meets each network.
        network = list(NETWORKS)[(number + number // len(kinds)) % len(NETWORKS)]
        rows.append(examine(chosen.build.resolve(), chosen.mpi, network, kind, chosen.seeds + number))
        row = rows[-1]
        print(f"{number}: {row['network']} {row['kind']} {row['what']}: {'right' if row['right'] else '-'}, "
              f"{row['seconds']:.1f} s, {row['false']}", file=sys.stderr, flush=True)
        if chosen.output:
            chosen.output.write_text(json.dumps(rows, indent=1))
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
