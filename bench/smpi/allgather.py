#!/usr/bin/env python3
"""All-gathers on the 88-machine grid of SMPI: our ring against the best of the vendors' selectors that
completes, and how close predictions are.

    bench/smpi/allgather.py [--build build/release] [--factors default,neutral] [--orders ranks,shuffled]
                            [--sizes 1024,16384,65536] [--algorithm ring]

Two networks are planned for. `file`: examples/table4/network.json, which has the shared links and knows
nothing of SMPI's factors; the bound is its. `measured`: what espalier measure finds, pair by pair, which
knows the factors and no shared link, so that its ring may cross one twice.
"""

from block_times import Collective, study
from lab import SELECTORS, TABLE4, milliseconds, size_name

SIZES = (1024, 16384, 65536)


def networks_of(measured, sizes, _):
    return {"file": dict.fromkeys(sizes, TABLE4 / "network.json"),
            "measured": dict.fromkeys(sizes, measured)}


def columns(result):
    peers = {s: milliseconds(result.peers[s]) if s in result.peers else "-" for s in SELECTORS}
    return {"block": size_name(result.size), "network": result.network,
            "ours": result.call["algorithm"], **peers, "best": result.best,
            "executed": milliseconds(result.executed),
            "times faster": f"{result.peers[result.best] / result.executed:.3f}",
            "bound": milliseconds(result.bound), "predicted": milliseconds(result.predicted),
            "predicted/executed": f"{result.predicted / result.executed:.3f}"}


if __name__ == "__main__":
    study(__doc__.splitlines()[0], Collective("allgather"), SIZES, "ring",
          networks_of, columns)
