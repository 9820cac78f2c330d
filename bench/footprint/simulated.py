"""The footprint under SMPI, where any number of ranks can be had and every message is counted."""

import json
import pathlib
import statistics
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path[1:1] = [str(ROOT / "bench" / "measure"), str(ROOT / "bench" / "grid-tcp")]

import ten_sites  # noqa: E402
from tables import markdown  # noqa: E402

BYTES = 64 << 10
# A start's: 2 s and ten of the largest round trips.
BUDGET_S = 2 + 10 * 2 * ten_sites.FAR
# Of MPI's own collectives, those of the library as well.
SELECTOR = "--cfg=smpi/coll-selector:ompi"


class Phase:
    """A phase of a program, as count_ranks.cpp counts it."""

    def __init__(self, counted):
        self.counted = counted
        self.messages, self.bytes = sum(counted["sent"]), sum(counted["sent_bytes"])

    def busiest(self, what):
        """The most that any rank sends and receives."""
        return max(map(sum, zip(self.counted["sent" + what], self.counted["received" + what])))

    def of_rank_0(self, name):
        return self.counted[name][0]

    def of_others(self, name):
        return max(self.counted[name][1:])


def program(folder, ranks, options, switch):
    """The phases of the program, and how long the slowest rank took for each, in seconds."""
    out = folder / switch
    out.mkdir()
    phases = ten_sites.simulated(
        folder, ranks, [SELECTOR, options.build / "bench" / "footprint" / "footprint_smpi", out,
                        str(options.calls), str(BYTES)],
        {"ESPALIER": switch, "ESPALIER_NETWORK": str(folder / "net.json"),
         "ESPALIER_REPORT": str(out / "report.json")})
    seconds = {}
    for rank in range(ranks):
        for line in (out / f"rank-{rank}").read_text().splitlines():
            one = json.loads(line)
            seconds[one["phase"]] = max(seconds.get(one["phase"], 0), one["seconds"])
    return {each["phase"]: Phase(each) for each in phases}, seconds


def size(bytes_):
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if bytes_ >= factor:
            return f"{bytes_ / factor:.3g} {unit}"
    return f"{bytes_:.0f} B"


def column(ranks, options):
    """The rows, name and cell, of a job of so many ranks."""
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        ten_sites.write_platform(folder, ranks // ten_sites.SITES)
        network, counted = ten_sites.measured(folder, ranks, options.build, f"{BUDGET_S}s")
        bytes_of_network = (folder / "net.json").stat().st_size
        own, own_s = program(folder, ranks, options, "off")
        ours, ours_s = program(folder, ranks, options, "on")
        report = json.loads((folder / "on" / "report.json").read_text())
    measuring = Phase(counted)
    calls = [f"call {k}" for k in range(2, options.calls + 1)]
    first, end, native = ours["call 1"], ours["end"], own[calls[-1]]
    by_messages = sorted((ours[call] for call in calls), key=lambda phase: (phase.messages, phase.bytes))
    # Most calls are alike; an agreement adds to one of these.
    later, looking = by_messages[len(by_messages) // 2], by_messages[-1]

    def more(phase, name, of):
        """Than without the library."""
        return size(max(of(ours[phase], name) - of(own[phase], name), 0))

    def both(phase):
        return (f"{more(phase, 'memory', Phase.of_rank_0)}, {more(phase, 'memory', Phase.of_others)}")

    def partners(phase):
        return f"{phase.of_rank_0('peers')}, {phase.of_others('peers')}"

    return [
        ("**measuring**: time", f"{network['measured']['seconds']:.1f} s"),
        ("messages of all ranks; of one, at most", f"{measuring.messages:,}; {measuring.busiest(''):,}"),
        ("bytes of all ranks; of one, at most", f"{size(measuring.bytes)}; {size(measuring.busiest('_bytes'))}"),
        ("connections of rank 0, of another at most", partners(measuring)),
        ("memory of rank 0, of another at most", f"{size(measuring.of_rank_0('memory'))}, "
                                                f"{size(measuring.of_others('memory'))}"),
        ("network file", size(bytes_of_network)),
        ("**first call**: messages; bytes of all ranks", f"{first.messages:,}; {size(first.bytes)}"),
        ("memory of rank 0, of another at most", both("call 1")),
        ("**later call**: messages (MPI's own)", f"{later.messages:,} ({native.messages:,})"),
        ("bytes (MPI's own)", f"{size(later.bytes)} ({size(native.bytes)})"),
        ("partners of rank 0, of another at most (MPI's own)", f"{partners(later)} ({partners(native)})"),
        ("time (MPI's own)", f"{statistics.median(ours_s[call] for call in calls) * 1e3:.0f} ms "
                            f"({statistics.median(own_s[call] for call in calls) * 1e3:.0f} ms)"),
        ("memory of rank 0, of another at most", both(calls[-1])),
        ("**agreements**: in how many calls", f"{report['calls'][0]['agreements']} in {options.calls}"),
        ("bytes of each message, at most", size((looking.bytes - later.bytes) / (looking.messages - later.messages))
         if looking.messages > later.messages else ""),
        ("**MPI_Finalize**: messages (MPI's own)", f"{end.messages:,} ({own['end'].messages:,})"),
    ]


def table(options):
    columns = [column(ranks, options) for ranks in options.ranks]
    head = [f"under SMPI, {options.calls} broadcasts of {BYTES >> 10} KiB",
            *(f"{ranks:,} ranks" for ranks in options.ranks)]
    return markdown(head, [[rows[0][0], *(cell for _, cell in rows)] for rows in zip(*columns)]) + "\n"
