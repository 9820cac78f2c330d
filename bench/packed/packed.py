#!/usr/bin/env python3
"""Long messages near the bound, over physical graphs and between cloud regions.

Predicted (simulated) times of broadcasts, all-gathers and reduce-scatters, lower bounds, and their ratios; of regions,
in both port models and from each root, how many times faster than the best heuristic for whole messages; of blocks,
beside the best algorithm that packs no trees.
"""

import argparse
import collections
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

WHOLE = ("ecef", "ecef-la", "ecef-lat-min", "ecef-lat-max", "bottom-up", "bottom-up-la", "fef", "flat", "multilevel")
TABLES = ("messages", "blocks", "regions")
UNPACKED = ("routes", "ring", "gather-broadcast")


def plan(cli, network, size, root, ports, limit, algorithm="auto", segment=None, collective="broadcast"):
    command = [cli, "plan", collective, network, "--bytes", size, "--algorithm", algorithm, "--json",
               "--time-limit", limit]
    if root:
        command += ["--root", root]
    if ports:
        command += ["--ports", str(ports)]
    if segment:
        command += ["--segment", segment]
    answer = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return answer["makespan"], answer["lower_bound"], answer["algorithm"]


def cloud(cli, data, folder):
    path = str(folder / "regions.json")
    subprocess.run([cli, "convert", str(data / "skyplane/matrix_rtt_ms_202201.csv"), "--unit", "ms", "--rtt",
                    "--bandwidth", str(data / "skyplane/matrix_bw_bps_202201.csv"), "--caps", "--in-flight",
                    "-o", path], check=True, stdout=subprocess.DEVNULL)
    return path


def ring(folder, hosts=12):
    links = [{"name": f"{a}-{b}", "from": f"h{a}", "to": f"h{b}", "bandwidth": 125e6, "latency": 1e-4,
              "kind": "directed"}
             for i in range(hosts) for a, b in ((i, (i + 1) % hosts), ((i + 1) % hosts, i))]
    path = folder / "ring.json"
    path.write_text(json.dumps({"format": "espalier-network", "version": 1, "model": "links", "links": links,
                                "nodes": [{"name": f"h{i}", "cycle_time": 1} for i in range(hosts)]}))
    return str(path)


def both_ways(source, target):
    """Each link that both directions share becomes one for each of them, as fibres are laid in pairs."""
    network = json.loads(pathlib.Path(source).read_text())
    network["links"] = [way for link in network["links"] for way in (
        {**link, "kind": "directed", "name": link["name"] + " >"},
        {**link, "kind": "directed", "name": link["name"] + " <", "from": link["to"], "to": link["from"]})]
    pathlib.Path(target).write_text(json.dumps(network))


def two_core(path):
    """What is on no cycle, and not between cycles, is left out: there one link says all."""
    network = json.loads(pathlib.Path(path).read_text())
    links = network["links"]
    while True:
        degrees = collections.Counter(end for link in links for end in (link["from"], link["to"]))
        kept = [link for link in links if min(degrees[link["from"]], degrees[link["to"]]) > 1]
        if len(kept) == len(links):
            break
        links = kept
    network["links"] = links
    network["nodes"] = [{**node, "cycle_time": 1} for node in network["nodes"] if degrees[node["name"]]]
    pathlib.Path(path).write_text(json.dumps(network))


def physical(cli, data, folder, arguments):
    networks = [ring(folder)]
    for graph in sorted((data / "topologyzoo").glob("*.graphml")):
        shared = str(folder / f"{graph.stem}.json")
        subprocess.run([cli, "convert", str(graph), "--speed", arguments.speed, "-o", shared], check=True,
                       capture_output=True)
        two_core(shared)
        pairs = str(folder / f"{graph.stem}-pairs.json")
        both_ways(shared, pairs)
        networks += [shared, pairs]
    return networks


def messages(cli, networks, arguments):
    for network in networks:
        time, bound, algorithm = plan(cli, network, "64MiB", None, 10, arguments.time_limit)
        single, _, _ = plan(cli, network, "64MiB", None, 1, arguments.time_limit)
        print(f"| {pathlib.Path(network).stem} | {algorithm} | {1e3 * time:.1f} | {1e3 * bound:.1f} | "
              f"{time / bound:.3f} | {1e3 * single:.1f} |", flush=True)


def blocks(cli, networks, arguments):
    for network in networks:
        for collective in ("allgather", "reduce-scatter"):
            def of(algorithm, collective=collective, network=network):
                return plan(cli, network, "4MiB", None, 10, arguments.time_limit, algorithm, collective=collective)

            time, bound, algorithm = of("auto")
            other, _, name = min(of(algorithm) for algorithm in UNPACKED)
            print(f"| {pathlib.Path(network).stem} | {collective} | {algorithm} | {1e3 * time:.1f} | {1e3 * bound:.1f} | "
                  f"{time / bound:.3f} | {name} | {other / bound:.2f} |", flush=True)


def regions(cli, network, arguments):
    names = [cluster["name"] for cluster in json.loads(pathlib.Path(network).read_text())["clusters"]]
    for ports in (1, len(names) - 1):
        ratios, gains = [], []
        for root in names[::arguments.every]:
            time, bound, algorithm = plan(cli, network, "1GiB", root, ports, arguments.time_limit)
            whole = min(plan(cli, network, "1GiB", root, ports, "1s", rule, "none")[0] for rule in WHOLE)
            ratios.append(time / bound)
            gains.append(whole / time)
            print(f"| {root} | {ports} | {algorithm} | {time:.3f} | {bound:.3f} | {time / bound:.3f} | "
                  f"{whole / time:.2f} |", flush=True)
        print(f"| mean, worst | {ports} | | | | {statistics.mean(ratios):.3f}, {max(ratios):.3f} | "
              f"{statistics.mean(gains):.2f}, {min(gains):.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", default="build/release", help="where espalier was built")
    parser.add_argument("--data", default="../shared/data", help="matrices and graphs")
    parser.add_argument("--every", type=int, default=1, help="only every so many of the regions as a root")
    parser.add_argument("--speed", default="1Gbps", help="of links of which a graph does not state it")
    parser.add_argument("--time-limit", default="10s")
    parser.add_argument("--only", nargs="+", choices=TABLES, default=TABLES)
    arguments = parser.parse_args()
    cli = str(pathlib.Path(arguments.build) / "espalier")
    data = pathlib.Path(arguments.data)
    if not (data / "skyplane").is_dir():
        sys.exit(f"{data}: there is no skyplane in it")
    with tempfile.TemporaryDirectory() as folder:
        graphs = physical(cli, data, pathlib.Path(folder), arguments)
        clouds = cloud(cli, data, pathlib.Path(folder))
        if "messages" in arguments.only:
            print("| network | algorithm | ms | bound, ms | ratio | one port, ms |\n"
                  "| --- | --- | --- | --- | --- | --- |")
            messages(cli, graphs, arguments)
        if "blocks" in arguments.only:
            print("\n| network | collective | algorithm | ms | bound, ms | ratio | best unpacked | ratio |\n"
                  "| --- | --- | --- | --- | --- | --- | --- | --- |")
            blocks(cli, [*graphs, clouds], arguments)
        if "regions" in arguments.only:
            print("\n| root | ports | algorithm | s | bound, s | ratio | times faster than whole messages |\n"
                  "| --- | --- | --- | --- | --- | --- | --- |")
            regions(cli, clouds, arguments)


if __name__ == "__main__":
    main()
