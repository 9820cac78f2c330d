"""The footprint of real processes: time, processors, memory, what network cards send, and files."""

import json
import pathlib
import stat
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(ROOT / "bench" / "grid-tcp")]

from networks import quantity  # noqa: E402
from places import Testbed, environment  # noqa: E402
from simulated import BYTES, size  # noqa: E402
from tables import markdown  # noqa: E402

FILE = ROOT / "testbed" / "examples" / "two-regions.json"
# Starts that go on measuring, after which one finds its network.
MOST_STARTS = 6
TIMEOUT_S = 120


class Job:
    """One run of the program: what each phase took of all its ranks."""

    def __init__(self, place, options, variables, folder):
        folder.mkdir()
        words = [f"{name}={value}" for name, value in variables.items()]
        report = folder / "report.json"
        if variables:
            words += [f"LD_PRELOAD={options.build / 'libespalier-openmpi.so'}", f"ESPALIER_REPORT={report}"]
        done = subprocess.run(
            [*place.launcher("openmpi"), "env", *words, options.build / "bench/footprint/footprint_openmpi",
             folder, str(options.calls), str(BYTES)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, env=environment(), timeout=TIMEOUT_S, check=False)
        if done.returncode != 0:
            sys.exit(f"footprint: a job ended with status {done.returncode}:\n{done.stdout}")
        self.sites = {}  # ranks
        for rank, host in enumerate(place.hosts):
            self.sites.setdefault(host["site"], []).append(rank)
        self.phases = {}
        for rank in range(len(place.names)):
            for line in (folder / f"rank-{rank}").read_text().splitlines():
                one = json.loads(line)
                self.phases.setdefault(one.pop("phase"), []).append(one)
        self.report = json.loads(report.read_text()) if report.exists() else None

    def total(self, phase, name):
        return sum(rank[name] for rank in self.phases[phase])

    def most(self, phase, name):
        return max(rank[name] for rank in self.phases[phase])

    def part_of_uplinks(self):
        """What hosts of a site sent while they started, inside it as well, over what its uplink carries in
        that time; of the site where it is most."""
        took = self.most("start", "seconds")
        return max(sum(self.phases["start"][rank]["sent_bytes"] for rank in self.sites[site["name"]]) /
                   (quantity(site["uplink"]) * took) for site in json.loads(FILE.read_text())["sites"])


def column(jobs, calls):
    """{row: median} of some jobs alike."""
    later = [f"call {k}" for k in range(2, calls + 1)]

    def median(of):
        return statistics.median(of(job) for job in jobs)

    def usual(job, of):
        return statistics.median(of(call) for call in later)

    def milliseconds(of):
        return f"{median(of) * 1e3:.0f} ms"

    return {
        "**MPI_Init**: time": f"{median(lambda job: job.most('start', 'seconds')):.2f} s",
        "time of processors, of a rank":
            f"{median(lambda job: job.total('start', 'cpu_s')) / len(jobs[0].phases['start']):.2f} s",
        "bytes that all send": size(median(lambda job: job.total("start", "sent_bytes"))),
        "of what a site's uplink carries meanwhile, at most": f"{median(Job.part_of_uplinks):.1%}",
        "connections of a rank, at most": f"{median(lambda job: job.most('start', 'connections')):.0f}",
        "memory of a rank, at most": size(median(lambda job: job.most("start", "memory"))),
        "**first call**: time": milliseconds(lambda job: job.most("call 1", "seconds")),
        "**later call**: time": milliseconds(lambda job: usual(job, lambda call: job.most(call, "seconds"))),
        "packets that all send": f"{median(lambda job: usual(job, lambda call: job.total(call, 'packets'))):.0f}",
        "**MPI_Finalize**: time": f"{median(lambda job: job.most('end', 'seconds')):.2f} s",
        "memory of a rank by then, at most": size(median(lambda job: job.most("end", "memory"))),
    }


def from_where(job, wanted):
    if job.report["network_from"] != wanted:
        sys.exit(f"footprint: the network came from {job.report['network_from']}, not {wanted}")
    return job


def columns(place, options, folder):
    """{kind of start: column}, and what is in the cache after the first and the last start of a turn."""
    def job(name, variables):
        return Job(place, options, variables, folder / name)

    kinds = {"without the library": [], "ESPALIER=off": [], "measuring": [], "going on": [],
             "from the cache": [], "an administrator's file": []}
    for turn in range(options.repeat):
        kinds["without the library"].append(job(f"without-{turn}", {}))
        kinds["ESPALIER=off"].append(job(f"off-{turn}", {"ESPALIER": "off"}))
        cache = folder / f"cache-{turn}"
        kept = {"ESPALIER_CACHE": str(cache)}
        kinds["measuring"].append(from_where(job(f"measuring-{turn}", kept), "measured"))
        first = files(cache)
        for start in range(MOST_STARTS):
            found = job(f"again-{turn}-{start}", kept)
            if found.report["network_from"] == "cache":
                break
            kinds["going on"].append(from_where(found, "measured"))
        kinds["from the cache"].append(from_where(found, "cache"))
        site = folder / f"site-{turn}" / "espalier"
        site.mkdir(parents=True)
        network, = cache.glob("*.json")
        (site / "network.json").write_bytes(network.read_bytes())
        kinds["an administrator's file"].append(from_where(
            job(f"site-job-{turn}", {"XDG_CONFIG_DIRS": str(site.parent), "ESPALIER_CACHE": str(folder / "none")}),
            "site"))
    return ({kind: column(jobs, options.calls) for kind, jobs in kinds.items() if jobs},
            {"the first": first, "the last": files(cache)})


def files(cache):
    """Names, sizes and permissions of what a cache holds."""
    def permissions(path):
        return stat.filemode(path.stat().st_mode)

    return "; ".join([f"{permissions(cache)} the folder"] + [
        f"{permissions(file)} {file.name}, {size(file.stat().st_size)}" for file in sorted(cache.iterdir())])


def table(options):
    with tempfile.TemporaryDirectory() as folder, Testbed(options.build, FILE, "cubic") as place:
        folder = pathlib.Path(folder)
        found, kept = columns(place, options, folder)
    head = [f"ten real processes, {options.calls} broadcasts of {BYTES >> 10} KiB", *found]
    lines = [[name, *(column[name] for column in found.values())] for name in next(iter(found.values()))]
    return "\n".join([markdown(head, lines), "",
                      *(f"cache after {which} start: {what}" for which, what in kept.items()), ""])
