"""Whether two grids that were measured at once, one by way of a directory, say the same: clusters,
and latency and gap of each link at many sizes.

    same_costs.py WRITTEN.json EXPORTED.json
"""

import json
import sys

# Points that the ones around them tell to this are left out of files.
TOLERANCE = 3e-3
SIZES = [0, 1, 33, 64, 100, 1000, 1440, 4096, 8192, 9400, 16384, 65536, 70000, 1 << 20, 1 << 24]


def at(table, size):
    if not isinstance(table, dict):
        return table
    points = sorted((int(key), value) for key, value in table.items())
    if size <= points[0][0] or len(points) == 1:
        return points[0][1]
    pairs = list(zip(points, points[1:]))
    (x0, y0), (x1, y1) = next((pair for pair in pairs if size <= pair[1][0]), pairs[-1])
    return max(0, y0 + (y1 - y0) * (size - x0) / (x1 - x0))


def links(grid):
    """Each link's name with its latency and gap."""
    for i, cluster in enumerate(grid["clusters"]):
        for kind in ("local", "within_node"):
            if kind in cluster:
                link = cluster[kind]
                yield (kind, i), link.get("latency_by_size_s") or link["latency_s"], link["gap_s"]
        for j in range(len(grid["clusters"])):
            if i != j:
                by_size = grid.get("latency_by_size_s")
                latency = by_size[i][j] if by_size and by_size[i][j] else grid["latency_s"][i][j]
                yield (i, j), latency, grid["gap_s"][i][j]


def nodes(cluster):
    numbered = [f"{cluster['name']}-{i}" for i in range(cluster.get("size", 0))]
    return cluster.get("nodes") or numbered


def main():
    written, exported = (json.load(open(name, encoding="utf-8")) for name in sys.argv[1:])
    assert list(map(nodes, written["clusters"])) == list(map(nodes, exported["clusters"])), "nodes"
    found = {name: costs for name, *costs in links(exported)}
    count = 0
    for name, *costs in links(written):
        for what, mine, other in zip(("latency", "gap"), costs, found.pop(name)):
            assert (mine is None) == (other is None), (name, what)
            for size in SIZES if mine is not None else []:
                difference = abs(at(mine, size) - at(other, size))
                assert difference <= TOLERANCE * at(mine, size) + 1e-12, (name, what, size, difference)
                count += 1
    assert not found and count > 0, found


main()
