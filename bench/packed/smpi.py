#!/usr/bin/env python3
"""Long broadcasts over networks with cycles, executed on SMPI.

For Abilene (links that both directions share, and one for each) and a ring of 12 hosts: time over the lower bound, as
simulated and as executed, and one tree's as executed. SMPI's factors are neutral; acknowledgements take their 5% of a link,
or, in a column of its own, nothing, as in the network and its bound.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

import packed

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "smpi"))
import lab  # noqa: E402

SIZE = 64 << 20


def renamed(source, folder):
    """Host files have one word for each host, and platforms names that are alike in no two links."""
    network = json.loads(pathlib.Path(source).read_text())
    names = {node["name"]: f"host-{n}" for n, node in enumerate(network["nodes"])}
    for node in network["nodes"]:
        node["name"] = names[node["name"]]
    for number, link in enumerate(network["links"]):
        link |= {"name": f"link-{number}", "from": names[link["from"]], "to": names[link["to"]]}
    path = folder / f"{pathlib.Path(source).stem}-hosts.json"
    path.write_text(json.dumps(network))
    return path


def execute(arguments, folder, source):
    cli = str(pathlib.Path(arguments.build) / "espalier")
    network = renamed(source, folder)
    platform, hosts, grid = (network.with_suffix(suffix) for suffix in (".xml", ".hosts", ".grid.json"))
    for options in (["simgrid", "--hostfile", hosts, "-o", platform], ["grid", "-o", grid]):
        subprocess.run([cli, "convert", network, "--to", *options], check=True, capture_output=True)
    simulated, bound, _ = packed.plan(cli, str(network), "64MiB", None, 10, arguments.time_limit, "packed")
    times = []
    for factors, algorithm in (("silent", "packed"), ("neutral", "packed"), ("neutral", "pipeline")):
        bench = lab.Lab(arguments.build, platform, hosts, factors)
        best = float("inf")
        # A library's search has half a second; a machine that is busy needs more than one attempt.
        for _ in range(arguments.attempts):
            run = bench.planned(grid, algorithm + "@auto", (SIZE,), report=folder / "report.json")
            if (0, SIZE) not in run:
                sys.exit(f"{algorithm} was not planned on {source}")
            best = min(best, run[0, SIZE][0])
        times.append(best)
    return [pathlib.Path(source).stem, f"{1e3 * bound:.0f}",
            *(f"{time / bound:.2f}" for time in (simulated, *times))]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release", help="where espalier was built, with SMPI")
    parser.add_argument("--data", default="../shared/data", help="graphs")
    parser.add_argument("--speed", default="1Gbps", help="of links of which a graph does not state it")
    parser.add_argument("--time-limit", default="10s", help="of the plan that is only simulated")
    parser.add_argument("--attempts", type=int, default=3, help="of each execution; the best counts")
    arguments = parser.parse_args()
    graph = pathlib.Path(arguments.data) / "topologyzoo/Abilene.graphml"
    if not graph.is_file():
        sys.exit(f"{graph}: there is no such file")
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        shared, pairs = str(folder / "Abilene.json"), str(folder / "Abilene-pairs.json")
        subprocess.run([str(pathlib.Path(arguments.build) / "espalier"), "convert", str(graph), "--speed", arguments.speed,
                        "-o", shared], check=True, capture_output=True)
        packed.two_core(shared)
        packed.both_ways(shared, pairs)
        lab.print_table(["network", "bound, ms", "simulated", "on SMPI", "with acknowledgements", "one tree"],
                        [execute(arguments, folder, network) for network in (shared, pairs, packed.ring(folder))])


if __name__ == "__main__":
    main()
