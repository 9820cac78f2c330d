#!/usr/bin/env python3
"""Networks of many kinds: what `espalier measure` finds on each, and what planning on it costs.

    bench/zoo/zoo.py [NAME …] [--budget good,default] [--mpi openmpi,mpich] [--execute] …

On each network's hosts a testbed is brought up and measured; the result is compared with the truth,
link by link; what is planned on it is simulated on the truth, beside what is planned on the truth. With
--execute, libraries and Espalier run there by turns. Writes results.json and table.md.
"""

import argparse
import json
import pathlib
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
HERE = pathlib.Path(__file__).resolve().parent
sys.path[1:1] = [str(ROOT / "bench" / "grid-tcp"), str(ROOT / "bench" / "measure")]

import cells as what  # noqa: E402
import networks  # noqa: E402
import plans  # noqa: E402
import table  # noqa: E402
from compare import Network, Truth  # noqa: E402
from execute import executed  # noqa: E402
from judge import judged  # noqa: E402
from places import Testbed  # noqa: E402
from turns import progress  # noqa: E402

# Seconds, and how many of the largest round trips besides.
BUDGETS = {"default": (2, 10), "good": (3, 40)}
SIZES = (8, 64 * what.KIB, what.MIB)


def halves():
    return json.loads((HERE / "halves.json").read_text())


def listed(allowed):
    def parse(text):
        for word in text.split(","):
            if word not in allowed:
                raise argparse.ArgumentTypeError(f"{word} is none of {', '.join(allowed)}")
        return text.split(",")
    return parse


def parse():
    known = [name for half in table.HALVES for name in halves()[half]]
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("networks", nargs="*", metavar="NAME", default=known,
                        help=f"of {', '.join(known)}, or a file like theirs (all of them)")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "release")
    parser.add_argument("--out", type=pathlib.Path, metavar="FOLDER", help="BUILD/zoo")
    parser.add_argument("--budget", type=listed(BUDGETS), default=["good"], metavar="BUDGETS",
                        help="of measuring: " + "; ".join(
                            f"{name}, {seconds} s and {trips} of the largest round trips"
                            for name, (seconds, trips) in BUDGETS.items()) + " (good)")
    parser.add_argument("--mpi", type=listed(("openmpi", "mpich")), default=["openmpi"])
    parser.add_argument("--congestion", default="cubic")
    parser.add_argument("--only", type=listed(what.COLLECTIVES), default=list(what.COLLECTIVES),
                        metavar="COLLECTIVES")
    parser.add_argument("--sizes", type=lambda text: [what.parse_size(s) for s in text.split(",")],
                        default=SIZES)
    parser.add_argument("--time-limit", default="1s", help="of each plan (1s)")
    parser.add_argument("--no-plans", action="store_true", help="measure only")
    parser.add_argument("--measured", action="store_true",
                        help="take what was measured there before, where there is something")
    parser.add_argument("--execute", action="store_true",
                        help="run it, beside the libraries, on what the last budget brought")
    options = parser.parse_args()
    options.build = options.build.resolve()
    options.out = (options.out or options.build / "zoo").resolve()
    options.files = {}
    for name in options.networks:
        file = HERE / "networks" / f"{name}.json" if name in known else pathlib.Path(name)
        if not file.is_file():
            parser.error(f"no network {name}: {', '.join(known)}, or a file were expected")
        options.files[file.stem] = file
    return options


def budget(truth, name):
    """Seconds of measuring."""
    seconds, trips = BUDGETS[name]
    largest = max(truth.latency(a, b) + truth.latency(b, a)
                  for pairs in truth.pairs.values() for a, b in pairs)
    return seconds + trips * largest


class Animal:
    """One network of the zoo."""

    def __init__(self, name, file, options):
        self.name, self.file, self.options = name, file, options
        self.folder = options.out / name
        self.folder.mkdir(parents=True, exist_ok=True)
        self.truth_file = networks.described(
            file, self.folder / "truth.json", networks.costs_of_messages(options.congestion))
        self.truth = Truth(json.loads(self.truth_file.read_text()))
        self.hosts = networks.host_names(file)
        self.cells = what.cells(options.only, options.sizes)
        self.ranks_per_host = json.loads(file.read_text()).get("x-ranks-per-host", 1)

    def testbed(self):
        return Testbed(self.options.build, self.file, self.options.congestion,
                       ranks_per_host=self.ranks_per_host)

    def found(self, kind, mpi):
        """The file of what measuring finds."""
        return self.folder / kind / f"measured-{self.options.congestion}-{mpi}.json"

    def measure(self, kind, mpi):
        """On hosts that are brought up for it."""
        path = self.found(kind, mpi)
        path.parent.mkdir(exist_ok=True)
        if not self.options.measured:
            path.unlink(missing_ok=True)
        if not path.exists():
            with self.testbed() as place:
                networks.measure(place, self.options.build, mpi, path.parent,
                                 f"{budget(self.truth, kind):.3f}s")
        return path

    def planner(self, network):
        return plans.Planner(self.options.build / "espalier", self.truth_file, network, self.hosts,
                             self.folder, self.options.time_limit)

    def rows(self, began):
        """One for each budget and MPI."""
        on_truth = None
        for kind in self.options.budget:
            for mpi in self.options.mpi:
                path = self.measure(kind, mpi)
                progress(f"{self.name}: {kind}, {mpi}: measured", began)
                row = {"network": self.name, "budget": kind, "mpi": mpi,
                       "budget_s": budget(self.truth, kind),
                       "measured": judged(self.truth, Network(json.loads(path.read_text())))}
                if not self.options.no_plans:
                    on_truth = on_truth or plans.simulated(self.planner(self.truth_file), self.cells)
                    row["planned"] = plans.beside(
                        on_truth, plans.simulated(self.planner(path), self.cells))
                    progress(f"{self.name}: {kind}, {mpi}: planned", began)
                yield row
        if self.options.execute:
            with self.testbed() as place:
                found = {mpi: self.found(kind, mpi) for mpi in self.options.mpi}
                yield {"network": self.name, "budget": kind, "executed": executed(
                    place, self.options, self.folder, found, self.cells, self.hosts[0], began)}
            progress(f"{self.name}: executed", began)


def main():
    options = parse()
    options.out.mkdir(parents=True, exist_ok=True)
    began = time.monotonic()
    results, rows = options.out / "results.json", []
    for name, file in options.files.items():
        for row in Animal(name, file, options).rows(began):
            rows.append(row)
            document = {"seconds": time.monotonic() - began, "congestion": options.congestion,
                        "halves": halves(), "rows": rows}
            results.write_text(json.dumps(document, indent=1))
            (options.out / "table.md").write_text(table.report(document))
    print((options.out / "table.md").read_text())
    return 0


if __name__ == "__main__":
    sys.exit(main())
