#!/usr/bin/env python3
"""Broadcasts inside one cluster of like machines, predicted on the measured network and executed on
SMPI, for 2 to 50 processes: Figures 3 to 6 of steffenel-2006.

    bench/smpi/local.py [--build build/release] [--processes 2,3,5,...] [--output FOLDER]

Writes flat.csv, binomial.csv and chain-segmented.csv (by processes), sizes.csv (16 processes, by size),
and their pictures by gnuplot where that is installed.
"""

import argparse
import pathlib
import shutil
import subprocess

from lab import FACTORS, Lab, milliseconds, print_table, size_name

STRATEGIES = ("flat", "binomial", "chain-segmented")
SIZES = (65536, 262144, 1048576)
ALL_SIZES = tuple(1 << bits for bits in range(10, 23))
HOSTS = 50
PLATFORM = """<?xml version="1.0"?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<platform version="4.1">
  <cluster id="cluster" prefix="n-" suffix="" radical="0-{last}" speed="1Gf" bw="125MBps" lat="25us"/>
</platform>
"""


def write_csv(path, head, rows):
    path.write_text("\n".join(",".join(map(str, row)) for row in [head, *rows]) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--factors", choices=FACTORS, default="default")
    parser.add_argument("--processes", default=",".join(map(str, range(2, HOSTS + 1))))
    parser.add_argument("--output", default="build/bench/local")
    options = parser.parse_args()
    folder = pathlib.Path(options.output)
    folder.mkdir(parents=True, exist_ok=True)
    platform = folder / "cluster.xml"
    platform.write_text(PLATFORM.format(last=HOSTS - 1))
    hostfile = folder / "hosts"
    hostfile.write_text("".join(f"n-{h}\n" for h in range(HOSTS)))
    network = folder / "network.json"
    Lab(options.build, platform, hostfile, options.factors).measure(network)

    def runs(strategy, processes, sizes):
        lab = Lab(options.build, platform, hostfile, options.factors, processes)
        times = lab.planned(network, strategy, sizes, report=folder / "run.json")
        return [times[0, size][:2] for size in sizes]

    worst = {}
    for strategy in STRATEGIES:
        rows = []
        for processes in map(int, options.processes.split(",")):
            times = runs(strategy, processes, SIZES)
            rows.append([processes, *(f"{t:.9g}" for pair in times for t in reversed(pair))])
            for executed, predicted in times:
                worst[strategy] = max(worst.get(strategy, 1.0), predicted / executed,
                                      executed / predicted)
        head = [f"{size_name(s)} {what}" for s in SIZES for what in ("predicted", "executed")]
        write_csv(folder / f"{strategy}.csv", ["processes", *head], rows)
    columns = {strategy: runs(strategy, 16, ALL_SIZES) for strategy in STRATEGIES}
    write_csv(folder / "sizes.csv",
              ["bytes", *(f"{s} {what}" for s in STRATEGIES for what in ("predicted", "executed"))],
              [[size, *(f"{t:.9g}" for s in STRATEGIES for t in reversed(columns[s][i]))]
               for i, size in enumerate(ALL_SIZES)])
    print(f"16 processes, {options.factors} factors, ms")
    print_table(["strategy", *(f"{size_name(s)} {w}" for s in SIZES for w in ("predicted", "executed"))],
                [[s, *(milliseconds(t) for size in SIZES
                       for t in reversed(columns[s][ALL_SIZES.index(size)]))] for s in STRATEGIES])
    for strategy, ratio in worst.items():
        print(f"{strategy}: prediction and execution at most {ratio:.3f} times apart")
    if shutil.which("gnuplot"):
        script = pathlib.Path(__file__).with_name("local.gp")
        subprocess.run(["gnuplot", "-c", str(script), str(folder)], check=True)


if __name__ == "__main__":
    main()
