#!/usr/bin/env python3
"""examples/heat on SMPI: the step time that is predicted against the one that is executed, and how much
faster the planned ring is than slices by speed alone over all hosts, in the best of some random orders.

    bench/ring_heat/heat.py [--build build/release] [--seeds 1,2,3] [--ratios 0.1,0.3,1]
                            [--factors neutral,default] [--latencies] [--orders 20] [--dynamic]

The platforms are those of `espalier generate tiers`, in bytes and seconds. H is what --rows says; W follows
from the ratio, H in Mbit as the platforms' bandwidths are made.
"""

import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "smpi"))

from lab import Lab, print_table  # noqa: E402

BYTES_PER_MBIT = 125000


def platform(espalier, folder, seed, hosts, latencies):
    """The files of a platform: network, SimGrid platform, hosts."""
    name = f"tiers-{hosts}-{seed}{'-latencies' if latencies else ''}"
    network, xml, hostfile = (folder / f"{name}{end}" for end in (".json", ".xml", ".hosts"))
    options = ["--latencies"] if latencies else []
    subprocess.run([espalier, "generate", "tiers", "--hosts", str(hosts), "--seed", str(seed),
                    "--bandwidth-factor", str(BYTES_PER_MBIT), *options, "-o", network],
                   check=True, stdout=subprocess.DEVNULL)
    subprocess.run([espalier, "convert", network, "--to", "simgrid", "-o", xml, "--hostfile",
                    hostfile], check=True, stdout=subprocess.DEVNULL)
    return network, xml, hostfile


def heat(lab, network, options, ratio, *more):
    """What one run prints: {key: number}."""
    work = 8 * options.rows / BYTES_PER_MBIT / ratio
    out = lab.run("heat_smpi", "--network", network, "--rows", options.rows, "--columns",
                  options.columns, "--steps", options.steps, "--work", work, *more)
    if out is None:
        raise SystemExit("heat failed")
    words = (line.split() for line in out.splitlines() if len(line.split()) == 2)
    return {key: float(value) for key, value in words}


def by_speed(lab, network, options, ratio):
    """The least step time of random orders of all hosts, with shares proportional to speed."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = pool.map(lambda seed: heat(lab, network, options, ratio, "--order",
                                          f"random:{seed}"), range(1, options.orders + 1))
        return min(run["executed_step_time"] for run in runs)


def static(lab, seed, network, factors, options):
    rows = []
    for ratio in options.ratios:
        run = heat(lab, network, options, ratio, "--planning", options.planning)
        predicted, executed = run["predicted_step_time"], run["executed_step_time"]
        peer = by_speed(lab, network, options, ratio)
        rows.append([seed, factors, f"{ratio:g}", int(run["hosts_in_ring"]), f"{predicted:.4g}",
                     f"{executed:.4g}", f"{predicted / executed:.3f}", f"{peer:.4g}",
                     f"{peer / executed:.2f}"])
        print(*rows[-1], file=sys.stderr, flush=True)
    return rows


def dynamic(lab, seed, network, hosts, factors, options):
    """One host slows down by 4 after a quarter of the steps: each of the first hosts of the ring."""
    rows = []
    for ratio in options.ratios:
        for host in hosts[:options.slowed]:
            slow = ("--planning", options.planning, "--slow", f"{host}:{options.steps // 4}:4")
            stays = heat(lab, network, options, ratio, *slow)
            adapts = heat(lab, network, options, ratio, *slow, "--adapt", options.steps // 10)
            rows.append([seed, factors, f"{ratio:g}", host, f"{stays['total_time']:.4g}",
                         f"{adapts['total_time']:.4g}", int(adapts["sliced_anew"]),
                         f"{stays['total_time'] / adapts['total_time']:.2f}"])
            print(*rows[-1], file=sys.stderr, flush=True)
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--seeds", default="1,2,3")
    parser.add_argument("--hosts", type=int, default=37)
    parser.add_argument("--ratios", default="0.1,0.3,1")
    parser.add_argument("--factors", default="neutral,default")
    parser.add_argument("--latencies", action="store_true", help="platforms with latencies")
    parser.add_argument("--rows", type=int, default=16384, help="H is 8 bytes of each")
    parser.add_argument("--columns", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--orders", type=int, default=20, help="random ones, to compare with")
    parser.add_argument("--planning", type=float, default=3, metavar="SECONDS")
    parser.add_argument("--dynamic", action="store_true", help="a host slows down by 4 instead")
    parser.add_argument("--slowed", type=int, default=3, help="how many hosts, one after another")
    options = parser.parse_args()
    options.ratios = [float(ratio) for ratio in options.ratios.split(",")]
    folder = pathlib.Path(options.build) / "ring_heat"
    folder.mkdir(parents=True, exist_ok=True)
    espalier = pathlib.Path(options.build) / "espalier"
    rows = []
    for factors in options.factors.split(","):
        for seed in options.seeds.split(","):
            network, xml, hostfile = platform(espalier, folder, seed, options.hosts,
                                              options.latencies)
            lab = Lab(options.build, xml, hostfile, factors)
            if options.dynamic:
                rows += dynamic(lab, seed, network, lab.hosts, factors, options)
            else:
                rows += static(lab, seed, network, factors, options)
    if options.dynamic:
        print_table(["seed", "factors", "H/W", "slow host", "static, s", "dynamic, s",
                     "sliced anew", "times faster"], rows)
    else:
        print_table(["seed", "factors", "H/W", "hosts", "predicted, s", "executed, s",
                     "predicted/executed", "by speed, s", "times faster"], rows)


if __name__ == "__main__":
    main()
