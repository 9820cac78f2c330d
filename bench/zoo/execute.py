"""The libraries and Espalier by turns on the hosts of one network, as bench/grid-tcp has them."""

import argparse

from cells import LIBRARIES
from tables import Results
from turns import Table, progress

PEERS = ("tuned", "mpich")


def executed(place, options, folder, found, cells, root, began):
    """Rows of cells; `found`: {MPI: network that was measured under it}."""
    ours = [name for name, library in LIBRARIES.items() if library.ours and library.mpi in found]
    turns = argparse.Namespace(seconds=1.0, rounds=1, repetitions=6, plan="auto",
                               libraries=[*PEERS, *ours])
    table = Table(place, options.build, folder, turns, found, None, root, {})
    try:
        for cell in cells:
            table.time(cell)
            table.settle(cell)
            progress(f"{cell.label}: {table.told(cell)}", began)
    finally:
        table.end()
    results = Results({"rows": list(table.rows()), "bounds": {}})
    return [row(results, place.congestion, cell) for cell in cells]


def row(results, congestion, cell):
    """The best library and the best of ours; what was predicted of each of ours, over what calls take when
    they get no faster any more."""
    best, which = results.best_peer(congestion, "ordered", cell)
    ours, on = results.best_of_ours(congestion, "ordered", cell)
    lines = results.found.get((congestion, "ordered", cell), {}).values()
    predicted = {line["library"]: line["predicted_s"] / line["settled_s"] for line in lines
                 if line.get("predicted_s") and line.get("settled_s")}
    return {"collective": cell.collective, "bytes": cell.bytes, "best_s": best, "best": which,
            "ours_s": ours, "ours": on, "predicted_over_measured": predicted,
            "algorithm": {line["library"]: line.get("algorithm") for line in lines
                          if "plan" in line},
            "right": all(line["right"] for line in lines)}
