"""The one table of the zoo, and what its summary rests on, as Markdown."""

import math
import statistics

from cells import Cell
from tables import markdown

HALVES = ("tuned on", "reported on")
# Predictions of messages shorter than that say more of processors than of networks.
PREDICTED_FROM = 64 << 10
PREDICTED_WITHIN = 0.25
SLOWER = 1.05


def percent(share):
    return "" if share is None else f"{share:.0%}"


def number(value):
    return "" if value is None else f"{value:.2f}"


def mean(ratios):
    return math.exp(statistics.mean(map(math.log, ratios))) if ratios else None


def measured(row):
    found = row["measured"]
    clusters, shared = found["clusters"], found["shared"]
    return ["yes" if clusters["right"] else f"{clusters['found']} for {clusters['true']}",
            percent(found["latencies"]["right"]), percent(found["capacities"]["right"]),
            f"{shared['found']} of {shared['true']}", str(len(shared["invented"]))]


def planned(row):
    found = row.get("planned")
    if found is None:
        return ["", "", "", ""]
    where = Cell(*found["worst_cell"]).label if found["worst_cell"] else ""
    return [number(found["mean"]), number(found["worst"]), where, str(found["unplanned"])]


def executed(cells):
    """How many times faster than the best library; the cells slower than it; and those well predicted."""
    faster = [cell["best_s"] / cell["ours_s"] for cell in cells if cell["best_s"] and cell["ours_s"]]
    predicted = [ratio for cell in cells if cell["bytes"] >= PREDICTED_FROM
                 for ratio in cell["predicted_over_measured"].values()]
    good = [abs(ratio - 1) <= PREDICTED_WITHIN for ratio in predicted]
    return [number(mean(faster)), number(min(faster, default=None)),
            str(sum(ratio < 1 / SLOWER for ratio in faster)),
            f"{sum(good)} of {len(good)}" if good else ""]


def report(document):
    rows = document["rows"]
    ran = {row["network"]: row["executed"] for row in rows if "executed" in row}
    head = ["network", "half", "budget", "MPI", "clusters", "latencies", "capacities", "shared found",
            "invented", "plans: mean", "worst", "where", "none"]
    if ran:
        head += ["times faster", "least", "slower", "predicted"]
    lines = []
    for row in rows:
        if "measured" not in row:
            continue
        half = next((half for half in HALVES if row["network"] in document["halves"][half]), "")
        line = [row["network"], half, f"{row['budget']}: {row['budget_s']:.1f} s", row["mpi"],
                *measured(row), *planned(row)]
        if ran:
            line += executed(ran.get(row["network"], []))
        lines.append(line)
    parts = [f"# The zoo\n\nUnder {document['congestion']}; {document['seconds']:.0f} s.\n",
             markdown(head, lines) + "\n"]
    parts += [f"## {name}, executed: ms\n\n{cells_of(cells)}\n" for name, cells in ran.items()]
    return "\n".join(parts)


def cells_of(cells):
    def milliseconds(seconds):
        return "" if seconds is None else f"{seconds * 1e3:.4g}"

    return markdown(
        ["cell", "best library", "which", "ours", "on", "times faster", "predicted / measured",
         "algorithm"],
        [[Cell(cell["collective"], cell["bytes"]).label, milliseconds(cell["best_s"]),
          cell["best"] or "", milliseconds(cell["ours_s"]) + ("" if cell["right"] else " WRONG"),
          cell["ours"] or "",
          number(cell["best_s"] / cell["ours_s"] if cell["best_s"] and cell["ours_s"] else None),
          ", ".join(map(number, cell["predicted_over_measured"].values())),
          ", ".join(name or "" for name in cell["algorithm"].values())] for cell in cells])
