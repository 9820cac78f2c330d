#!/usr/bin/env python3
"""The main job from end to end, with no cluster at hand; scripts/demo builds what it needs and calls it.

On SMPI's simulation of the 88-machine grid: measure the network, compare what was found with the
truth, predict every algorithm, run them and the four vendors' own broadcasts, draw a plan. Then, on this
machine's own MPI, an unmodified program with and without the library.
"""

import argparse
import csv
import json
import os
import pathlib
import subprocess

from grid import compare, print_comparison
from lab import ROOT, SIZES, TABLE4, Lab, grid_algorithms, print_table

AS_ROOT = ["--allow-run-as-root"] if os.geteuid() == 0 else []
LAUNCHERS = {"openmpi": ["mpirun.openmpi", "--oversubscribe", *AS_ROOT], "mpich": ["mpiexec.mpich"]}
PROGRAM = ROOT / "examples" / "broadcast" / "broadcast.c"


def heading(text):
    print(f"\n== {text}", flush=True)


def true_latencies():
    with open(TABLE4 / "latency_us.csv", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    return [[float(cell) if cell else None for cell in row[1:]] for row in rows[1:]]


def show_measured(network):
    """Clusters and latencies as measured, each beside what the platform was built from."""
    truth = true_latencies()
    sizes = {}
    for host in (TABLE4 / "hostfile").read_text().split():
        sizes.setdefault(host.split("-")[0], []).append(host)
    true_names = list(sizes)
    rows, order = [], []
    for cluster in network["clusters"]:
        home = {host.split("-")[0] for host in cluster["nodes"]}
        matches = [t for t in true_names if sorted(sizes[t]) == sorted(cluster["nodes"])]
        order.append(true_names.index(sorted(home)[0]))
        rows.append([cluster["name"], len(cluster["nodes"]), len(sizes[sorted(home)[0]]),
                     "yes" if matches else "NO"])
    print_table(["cluster", "machines found", "in truth", "the same machines"], rows)
    print("\none-way latency of a small message, us: measured / in Table 4 (the platform adds the two"
          "\nhosts' own links, about 50 us, and the default factors double what small messages take)")
    names = [cluster["name"] for cluster in network["clusters"]]
    table = []
    for i, name in enumerate(names):
        row = [name]
        for j in range(len(names)):
            known = network["latency_s"][i][j] if i != j else (
                network["clusters"][i].get("local", {}).get("latency_s"))
            true = truth[order[i]][order[j]]
            row.append("-" if known is None or true is None else f"{known * 1e6:.0f} / {true:.0f}")
        table.append(row)
    print_table(["from", *names], table)


def run_native_pair(build, flavour, folder):
    """The same bytes with and without the library, under one MPI of this machine."""
    program = folder / f"broadcast-{flavour}"
    subprocess.run([f"mpicc.{flavour}", "-O2", "-o", str(program), str(PROGRAM)], check=True)
    network = folder / "this-machine.json"
    hosts = "one,one,two,two"
    network.write_text(json.dumps({
        "format": "espalier-network", "version": 1, "model": "grid",
        "clusters": [{"name": n, "nodes": [n], "within_node": {"latency_s": 1e-6, "gap_s": {
            "1": 1e-6, "1048576": 2e-4}}} for n in ("one", "two")],
        "latency_s": [[0, 1e-4], [1e-4, 0]],
        "gap_s": [[0, {"1": 1e-5, "1048576": 1e-3}], [{"1": 1e-5, "1048576": 1e-3}, 0]]}))
    clean = {k: v for k, v in os.environ.items() if not k.startswith("ESPALIER")}
    ours = clean | {"LD_PRELOAD": str((build / f"libespalier-{flavour}.so").resolve()),
                    "ESPALIER_NETWORK": str(network.resolve()), "ESPALIER_TEST_HOSTS": hosts,
                    "ESPALIER_REPORT": str((folder / f"run-{flavour}.json").resolve())}
    command = [*LAUNCHERS[flavour], "-n", "4", str(program.resolve()), "4194304"]
    plain = subprocess.run(command, env=clean, stdout=subprocess.PIPE, text=True, check=True).stdout
    preloaded = subprocess.run(command, env=ours, stdout=subprocess.PIPE, text=True,
                               check=True).stdout
    calls = json.loads((folder / f"run-{flavour}.json").read_text())["calls"]
    planned = sum(call["calls"] for call in calls if call["algorithm"] != "native")
    return [flavour, plain.strip(), preloaded.strip(), planned,
            "the same" if plain == preloaded else "DIFFERENT"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--mpi", choices=LAUNCHERS, default="openmpi")
    parser.add_argument("--output", default="build/demo")
    options = parser.parse_args()
    build = pathlib.Path(options.build)
    folder = pathlib.Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    network_file = folder / "network.json"
    lab = Lab(build, TABLE4 / "platform.xml", TABLE4 / "hostfile")

    heading("espalier measure: 88 simulated machines, 10 s of their time")
    network = lab.measure(network_file)
    print(f"measured in {network['measured']['seconds']:.1f} s: {network_file}")
    show_measured(network)

    heading("every algorithm between clusters: predicted on the measured network, and executed (ms)")
    results = compare(lab, network_file, [*grid_algorithms(build), "auto"], SIZES, folder,
                      segment="@auto")
    best, natives = lab.best_native()
    print_comparison(results, natives, SIZES)
    print("auto against the best vendor: " + ", ".join(
        f"{best[0, size] / results['auto'][size][0]:.1f} times faster at {size} B" for size in SIZES))

    heading("the plan for 1 MiB as a picture")
    picture = folder / "broadcast-1MiB.svg"
    subprocess.run([str(build / "espalier"), "plan", "broadcast", str(network_file), "--bytes",
                    "1MiB", "--ranks", "--timeline", str(picture), "-o",
                    str(folder / "broadcast-1MiB.json")], check=True, stdout=subprocess.DEVNULL)
    print(picture)

    heading("an unmodified program on this machine's MPI: 4 ranks, 4 MiB, without and with the library")
    print("(two of the ranks are told that they are elsewhere, so that there is something to plan)")
    print_table(["MPI", "checksum without", "checksum with", "planned calls", "bytes"],
                [run_native_pair(build, options.mpi, folder)])


if __name__ == "__main__":
    main()
