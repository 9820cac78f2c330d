#!/usr/bin/env python3
"""Total exchanges on the 88-machine grid of SMPI: ours against the best of the vendors' selectors that
completes, how near they come to the bound with shared links, and how close predictions are.

    bench/smpi/exchange.py [--build build/release] [--factors default,neutral] [--orders ranks,shuffled]
                           [--sizes 1024,8192,65536] [--algorithm auto]

Three networks are planned for. `file`: examples/table4/network.json, which has the shared links and
knows nothing of SMPI's factors; the bound is its. `measured`: what espalier measure finds, pair by pair,
which knows the factors and no shared link. `measured, shared`: the same with the file's links, each
carrying in all what one pair of hosts got through it alone with messages of that size.
"""

import json

from block_times import Collective, study
from lab import TABLE4, milliseconds, size_name

SIZES = (1024, 8192, 65536)


def gap_at(gap, size):
    """Seconds of a gap as network files have them: a number, or a table by size."""
    if not isinstance(gap, dict):
        return gap
    points = sorted((int(s), t) for s, t in gap.items())
    if size <= points[0][0] or len(points) == 1:
        return points[0][1]
    for (s, t), (s2, t2) in zip(points, points[1:]):
        if size <= s2 or s2 == points[-1][0]:
            return t + (t2 - t) * (size - s) / (s2 - s)
    return points[-1][1]


def with_shared_links(measured, truth, size):
    """The measured network, and the shared links of the true one, as fast as pairs are alone."""
    homes = [{node.split("-")[0] for node in c["nodes"]} for c in measured["clusters"]]
    names = [c["name"] for c in measured["clusters"]]
    shared = []
    for link in truth["shared"]:
        pairs, rate = [], 0
        for i, sender in enumerate(homes):
            for j, receiver in enumerate(homes):
                if i == j or not any([a, b] in link["pairs"] for a in sender for b in receiver):
                    continue
                pairs.append([names[i], names[j]])
                rate = max(rate, size / gap_at(measured["gap_s"][i][j], size))
        if pairs:
            shared.append({"name": link["name"], "capacity_Bps": rate, "pairs": pairs})
    return {**measured, "shared": shared}


def networks_of(measured, sizes, folder):
    truth = json.loads((TABLE4 / "network.json").read_text())
    without = json.loads(measured.read_text())
    shared = {size: folder / f"shared-{size}.json" for size in sizes}
    for size, path in shared.items():
        path.write_text(json.dumps(with_shared_links(without, truth, size)))
    return {"file": dict.fromkeys(sizes, TABLE4 / "network.json"),
            "measured": dict.fromkeys(sizes, measured), "measured, shared": shared}


def columns(result):
    best = result.peers[result.best]
    return {"block": size_name(result.size), "network": result.network,
            "ours": f"{result.call['algorithm']}, {result.call['ports']} at once",
            "best vendor": milliseconds(best), "which": result.best,
            "executed": milliseconds(result.executed),
            "times faster": f"{best / result.executed:.3f}",
            "bound": milliseconds(result.bound), "over it": f"{result.executed / result.bound:.3f}",
            "predicted": milliseconds(result.predicted),
            "predicted/executed": f"{result.predicted / result.executed:.3f}"}


if __name__ == "__main__":
    study(__doc__.splitlines()[0], Collective("alltoall"), SIZES, "auto",
          networks_of, columns)
