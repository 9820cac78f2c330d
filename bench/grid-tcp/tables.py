"""Tables of what was timed, as Markdown, and what they say against what is to be reached."""

import json
import pathlib
import statistics

from cells import COLLECTIVES, LIBRARIES, SCANS, Cell, size_name
from networks import SHUFFLED

REACH = pathlib.Path(__file__).with_name("reach.json")
OURS = [name for name, library in LIBRARIES.items() if library.ours]
STOCK = [name for name, library in LIBRARIES.items() if not library.ours]


class Results:
    """Rows by congestion, order and cell; bounds by network and cell."""

    def __init__(self, document):
        self.document = document
        self.found = {}
        for row in document["rows"]:
            key = row["congestion"], row["order"], Cell(row["collective"], row["bytes"])
            self.found.setdefault(key, {})[row["library"]] = row
        self.runs = sorted({(c, o) for c, o, _ in self.found})

    def cells(self, congestion, order):
        found = [cell for c, o, cell in self.found if (c, o) == (congestion, order)]
        return sorted(found, key=lambda cell: (COLLECTIVES.index(cell.collective), cell.bytes))

    def row(self, congestion, order, cell, library):
        return self.found.get((congestion, order, cell), {}).get(library, {})

    def median(self, congestion, order, cell, library):
        return self.row(congestion, order, cell, library).get("median_s")

    def best_peer(self, congestion, order, cell):
        """(seconds, library); (None, None) where no stock library was timed."""
        times = [(self.median(congestion, order, cell, name), name) for name in STOCK]
        return min([t for t in times if t[0] is not None], default=(None, None))

    def best_of_ours(self, congestion, order, cell):
        times = [(self.median(congestion, order, cell, name), name) for name in OURS]
        return min([t for t in times if t[0] is not None], default=(None, None))

    def bound(self, cell, order):
        """(seconds, whether they bind any way to do it)"""
        network = SHUFFLED if order == "shuffled" and cell.collective in SCANS else "described"
        found = self.document["bounds"].get(network, {}).get(key_of(cell), {})
        return found.get("seconds"), found.get("scope") == "any"


def key_of(cell):
    return f"{cell.collective} {cell.bytes}"


def add(document, earlier):
    """What `earlier` has besides."""
    def key(row):
        return tuple(row[k] for k in ("congestion", "order", "collective", "bytes", "library"))
    fresh = {key(row) for row in document["rows"]}
    document["rows"] = [r for r in earlier["rows"] if key(r) not in fresh] + document["rows"]
    for name, found in earlier["bounds"].items():
        document["bounds"][name] = found | document["bounds"].get(name, {})


def spread(row):
    """Half of what lies between the quartiles, of the median."""
    times = row["seconds"]
    low, _, high = statistics.quantiles(times, method="inclusive") if len(times) > 1 else times * 3
    return (high - low) / 2 / row["median_s"]


def ratio(over, under, digits=2):
    return f"{over / under:.{digits}f}" if over is not None and under else ""


def milliseconds(seconds):
    return f"{seconds * 1e3:.4g}" if seconds is not None else ""


def timed(row):
    if "failed" in row and row.get("median_s") is None:
        return "failed"
    if row.get("median_s") is None:
        return ""
    wrong = "" if row["right"] else " WRONG"
    return f"{milliseconds(row['median_s'])} ±{spread(row) * 100:.0f}%{wrong}"


def markdown(head, rows):
    lines = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    return "\n".join(lines + ["| " + " | ".join(row) + " |" for row in rows])


def table(results, congestion, order):
    rows = []
    for cell in results.cells(congestion, order):
        best, which = results.best_peer(congestion, order, cell)
        ours, _ = results.best_of_ours(congestion, order, cell)
        lines = [results.row(congestion, order, cell, name) for name in OURS]
        medians = [line.get("median_s") for line in lines]
        bound, any_way = results.bound(cell, order)
        predicted = [ratio(line.get("predicted_s"), line.get("median_s")) for line in lines]
        rows.append([cell.collective, size_name(cell.bytes), milliseconds(best), which or "",
                     *(timed(line) for line in lines), *(ratio(best, m) for m in medians),
                     milliseconds(bound) + ("" if any_way or bound is None else "*"),
                     ratio(ours, bound), *predicted,
                     *(line.get("algorithm", "") for line in lines)])
    return markdown(["collective", "size", "best peer", "which", *OURS, "best peer / Open MPI",
                     "best peer / MPICH", "bound", "ours / bound", "predicted / measured",
                     "on MPICH", "algorithm", "on MPICH"], rows)


def in_short(results, congestion):
    """What the best of both of ours reaches, in order, and how it is among shuffled ranks."""
    rows = []
    for cell in results.cells(congestion, "ordered"):
        peers, reached = {}, {}
        for order in ("ordered", "shuffled"):
            best, _ = results.best_peer(congestion, order, cell)
            ours, _ = results.best_of_ours(congestion, order, cell)
            bound, _ = results.bound(cell, order)
            peers[order] = milliseconds(best)
            reached[order] = ratio(best, ours), ratio(ours, bound)
        lines = [results.row(congestion, "ordered", cell, name) for name in OURS]
        rows.append([cell.collective, size_name(cell.bytes), peers["ordered"],
                     *(milliseconds(line.get("median_s")) for line in lines), *reached["ordered"],
                     *(ratio(line.get("predicted_s"), line.get("median_s")) for line in lines),
                     peers["shuffled"], milliseconds(ours), *reached["shuffled"]])
    return markdown(["collective", "size", "best peer", "ours on Open MPI", "on MPICH",
                     "times faster", "ours / bound", "predicted / measured", "on MPICH",
                     "shuffled: best peer", "ours", "times faster", "ours / bound"], rows)


def peers(results, congestion, order):
    rows = [[cell.collective, size_name(cell.bytes),
             *(timed(results.row(congestion, order, cell, name)) for name in STOCK)]
            for cell in results.cells(congestion, order)]
    return markdown(["collective", "size", *STOCK], rows)


def against_reach(results, congestion):
    """What is to be reached, from the first rank in order."""
    rows = []
    for wanted in json.loads(REACH.read_text())["rows"]:
        cell = Cell(wanted["collective"], wanted["bytes"])
        best, which = results.best_peer(congestion, "ordered", cell)
        ours, on = results.best_of_ours(congestion, "ordered", cell)
        if best is None or ours is None:
            continue
        met = best / ours >= wanted["reach"]
        rows.append([cell.collective, size_name(cell.bytes), milliseconds(best), which,
                     milliseconds(ours), on, ratio(best, ours), f"{wanted['reach']:g}",
                     "yes" if met else "no", f"{wanted['stock_ms']:g}", f"{wanted['bound_ms']:g}"])
    return markdown(["collective", "size", "best peer", "which", "ours", "on", "times faster",
                     "to reach", "reached", "peer before", "rough bound"], rows)


def findings(results):
    """What is not as it is to be, a line each, and how much is."""
    limits = json.loads(REACH.read_text())
    lines, slow, far, apart = [], [], [], []
    predicted = {True: 0, False: 0}
    for congestion, order, cell in results.found:
        best, _ = results.best_peer(congestion, order, cell)
        bound, _ = results.bound(cell, order)
        for name in OURS:
            row = results.row(congestion, order, cell, name)
            median = row.get("median_s")
            if row and (median is None or not row["right"]):
                lines.append(f"- {congestion}, {order}: {cell.label}: {name} "
                             f"{'brought wrong data' if median else row.get('failed', 'failed')}")
            if median is None:
                continue
            where = f"{congestion}, {order}: {cell.label}: {name}"
            if best is not None and best / median < limits["least_of_best_peer"]:
                why = f" ({row['reason']})" if row.get("reason") else ""
                slow.append(f"- {where} {best / median:.2f}{why}")
            if bound and median / bound > most_of_bound(limits, cell):
                far.append(f"- {where} {median / bound:.2f}")
            ordered = results.median(congestion, "ordered", cell, name)
            if ordered and median / ordered > limits["most_of_ordered"] * harder(results, cell):
                apart.append(f"- {where} {median / ordered:.2f}")
            within = limits["predicted_within"]
            if cell.bytes >= within["from_bytes"] and row.get("predicted_s"):
                predicted[abs(row["predicted_s"] / median - 1) <= within["of"]] += 1
    counted = sum(predicted.values())
    lines.append(f"Predicted within 20%: {predicted[True]} of {counted} cells from 64 KiB up"
                 + (f" ({predicted[True] / counted:.0%})" if counted else ""))
    for title, found in ((f"Under {limits['least_of_best_peer']} of the best peer", slow),
                         ("Further from the bound than it is to be", far),
                         (f"Shuffled over {limits['most_of_ordered']} of ordered and of what bounds "
                          "grow by", apart)):
        lines += ["", f"{title}: {len(found)}", "", *found]
    return "\n".join(lines)


def harder(results, cell):
    """How many times longer a cell has to take among shuffled ranks."""
    (ordered, _), (shuffled, _) = (results.bound(cell, o) for o in ("ordered", "shuffled"))
    return max(1, shuffled / ordered) if ordered and shuffled else 1


def most_of_bound(limits, cell):
    limit = limits["most_of_bound"]
    for each in limit["but"]:
        if (each["collective"], each["bytes"]) == (cell.collective, cell.bytes):
            return each["at_most"]
    return limit["at_most"] if cell.bytes >= limit["from_bytes"] else float("inf")


def report(document):
    results = Results(document)
    parts = [f"# Collectives over real TCP\n\n{document['about']}\n"]
    for congestion in dict.fromkeys(c for c, _ in results.runs):
        parts.append(f"## In short, under {congestion}\n\n{in_short(results, congestion)}\n")
        parts.append(f"## What is to be reached, under {congestion}\n\n"
                     f"{against_reach(results, congestion)}\n")
    parts.append(f"## What is not as it is to be\n\n{findings(results)}\n")
    for congestion, order in results.runs:
        parts.append(f"## {congestion}, ranks {order}: ms\n\n{table(results, congestion, order)}\n")
        parts.append(f"### Peers\n\n{peers(results, congestion, order)}\n")
    return "\n".join(parts)


def plot_data(results, congestion, order):
    lines = ["cell,best peer,Espalier on Open MPI,Espalier on MPICH,bound"]
    for cell in results.cells(congestion, order):
        times = [results.best_peer(congestion, order, cell)[0],
                 *(results.median(congestion, order, cell, name) for name in OURS),
                 results.bound(cell, order)[0]]
        lines.append(",".join([cell.label, *(milliseconds(t) or "NaN" for t in times)]))
    return "\n".join(lines) + "\n"
