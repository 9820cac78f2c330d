#!/usr/bin/env python3
"""Every algorithm between clusters, predicted on the measured network and executed on SMPI, beside the
vendors' own broadcasts and a tree that knows nothing of the grid: Figures 9 and 10 of steffenel-2006.

    bench/smpi/grid.py [--build build/release] [--factors default|neutral] [--segment none|auto|SIZE]
                       [--output FOLDER]

Writes grid.csv, and grid.svg by gnuplot where that is installed.
"""

import argparse
import concurrent.futures
import os
import pathlib
import shutil
import subprocess

from lab import (FACTORS, SIZES, TABLE4, Lab, grid_algorithms, milliseconds, print_table,
                 size_name)

FIGURE_SIZES = tuple(1 << bits for bits in range(16, 23))


def compare(lab, network, algorithms, sizes, folder, root=0, segment=""):
    """{algorithm: {bytes: (executed, predicted)}} of broadcasts from one root."""
    def run(name):
        runs = lab.planned(network, name + segment, sizes, (root,), folder / f"run-{name}.json")
        return {size: runs[root, size][:2] for size in sizes if (root, size) in runs}

    # Simulated clocks do not mind that the machine is shared.
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(algorithms, pool.map(run, algorithms)))


def print_comparison(results, natives, sizes, root=0):
    rows = []
    for name, runs in results.items():
        row = [name]
        for size in sizes:
            executed, predicted = runs[size]
            row.append(f"{milliseconds(predicted)} / {milliseconds(executed)} "
                       f"({predicted / executed:.2f})")
        rows.append(row)
    for name, times in natives.items():
        rows.append([f"{name} (vendor)",
                     *(f"{milliseconds(times[root, size])}       " for size in sizes)])
    print_table(["predicted / executed (ratio)", *map(size_name, sizes)], rows)


def write_figure(results, sizes, folder):
    names = list(results)
    with open(folder / "grid.csv", "w", encoding="utf-8") as out:
        out.write("bytes," + ",".join(f"{n} predicted,{n} executed" for n in names) + "\n")
        for size in sizes:
            cells = [f"{results[n][size][1]:.9g},{results[n][size][0]:.9g}" for n in names]
            out.write(f"{size}," + ",".join(cells) + "\n")
    if shutil.which("gnuplot"):
        script = pathlib.Path(__file__).with_name("grid.gp")
        subprocess.run(["gnuplot", "-c", str(script), str(folder)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--factors", choices=FACTORS, default="default")
    parser.add_argument("--segment", default="none")
    parser.add_argument("--output", default="build/bench/grid")
    options = parser.parse_args()
    folder = pathlib.Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    lab = Lab(options.build, TABLE4 / "platform.xml", TABLE4 / "hostfile", options.factors)
    network = folder / "network.json"
    lab.measure(network)
    sizes = tuple(sorted({*SIZES[1:], *FIGURE_SIZES}))
    results = compare(lab, network, grid_algorithms(options.build), sizes, folder,
                      segment=f"@{options.segment}")
    _, natives = lab.best_native(sizes)
    print(f"times in ms, {options.factors} factors, segments: {options.segment}")
    print_comparison(results, natives, sizes)
    write_figure(results, sizes, folder)


if __name__ == "__main__":
    main()
