#!/usr/bin/env python3
"""How much faster than the vendors' broadcasts ours is on the 88-machine grid of SMPI, from roots in
three clusters, and how close the prediction on the measured network is to what then happens.

    bench/smpi/reach.py [--build build/release] [--factors default,neutral] [--shuffle SEED]
"""

import argparse
import pathlib
import random

from lab import FACTORS, SIZES, TABLE4, Lab, milliseconds, print_table, size_name


def shuffled_hostfile(seed, folder):
    hosts = (TABLE4 / "hostfile").read_text().split()
    random.Random(seed).shuffle(hosts)
    path = folder / f"hostfile-{seed}"
    path.write_text("\n".join(hosts) + "\n")
    return path


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--platform", default=TABLE4 / "platform.xml")
    parser.add_argument("--factors", default=",".join(FACTORS))
    parser.add_argument("--shuffle", type=int, metavar="SEED", help="ranks in a random order")
    options = parser.parse_args()
    folder = pathlib.Path(options.build) / "reach"
    folder.mkdir(parents=True, exist_ok=True)
    hostfile = TABLE4 / "hostfile"
    if options.shuffle is not None:
        hostfile = shuffled_hostfile(options.shuffle, folder)
    for factors in options.factors.split(","):
        lab = Lab(options.build, options.platform, hostfile, factors)
        roots = [lab.hosts.index(host) for host in ("c0-0", "c2-0", "c5-0")]
        network = folder / f"network-{factors}.json"
        lab.measure(network)
        best, _ = lab.best_native(SIZES, roots)
        ours = lab.planned(network, "auto", SIZES, roots, folder / f"run-{factors}.json")
        print(f"\n{factors} factors, {len(lab.hosts)} ranks"
              f"{'' if options.shuffle is None else ' shuffled'}; times in ms")
        rows = []
        for (root, size), (executed, predicted, segments, algorithm) in ours.items():
            peer = best[root, size]
            rows.append([lab.hosts[root], size_name(size), milliseconds(peer),
                         milliseconds(executed), f"{peer / executed:.2f}",
                         milliseconds(predicted), f"{predicted / executed:.3f}", algorithm,
                         segments])
        print_table(["root", "size", "best vendor", "ours", "times faster", "predicted",
                     "predicted/executed", "algorithm", "segments"], rows)


if __name__ == "__main__":
    main()
