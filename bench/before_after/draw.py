#!/usr/bin/env python3
"""Draws when a broadcast is over on each host, by MPI itself and by Espalier, on one axis.

    draw.py BEFORE.csv AFTER.csv TITLE [--library NAME] >PICTURE.svg

Each file has a line `host,seconds` for each rank. Hosts are in the order of the first file.
"""

import argparse
import csv
import html

WIDTH, LEFT, RIGHT, LANE, GAP = 900, 96, 30, 8, 54
INK, MUTED, RULE, GREY, BLUE = "#1f2933", "#5f6b76", "#dfe4e9", "#9aa5b1", "#0072b2"
FONT = 'Helvetica, Arial, "Liberation Sans", "DejaVu Sans", sans-serif'


def read(path):
    with open(path, encoding="utf-8", newline="") as lines:
        return [(row[0], float(row[1])) for row in csv.reader(lines) if len(row) == 2]


def site_of(host):
    return host.split("-", 1)[0]


def text(x, y, words, size=12, anchor="start", fill=INK, weight="normal"):
    return (f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" fill="{fill}" '
            f'font-weight="{weight}">{html.escape(words)}</text>')


def panel(rows, top, scale, colour):
    out, named = [], None
    for lane, (host, seconds) in enumerate(rows):
        y = top + lane * LANE
        if site_of(host) != named:
            named = site_of(host)
            out.append(text(LEFT - 8, y + LANE, named, 10, "end", MUTED))
            if lane:
                out.append(f'<line x1="{LEFT}" y1="{y}" x2="{WIDTH - RIGHT}" y2="{y}" stroke="{RULE}"/>')
        out.append(f'<rect x="{LEFT}" y="{y + 1}" width="{seconds * scale:.1f}" height="{LANE - 2}" fill="{colour}">'
                   f'<title>{html.escape(host)}: {1000 * seconds:.1f} ms</title></rect>')
    return out


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("title")
    parser.add_argument("--library", default="MPI by itself")
    options = parser.parse_args()
    before, after = read(options.before), read(options.after)
    assert [host for host, _ in before] == [host for host, _ in after], "not the same hosts"
    last = [max(seconds for _, seconds in rows) for rows in (before, after)]
    scale = (WIDTH - LEFT - RIGHT) / max(last) * 0.98
    height = len(before) * LANE
    tops = (72, 72 + height + GAP)
    end = tops[1] + height
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{end + 34}" '
           f"font-family='{FONT}' role=\"img\" aria-label=\"{html.escape(options.title)}\">",
           f'<rect width="{WIDTH}" height="{end + 34}" fill="#ffffff"/>', text(16, 28, options.title, 18, weight="bold")]
    step = next(s for s in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10) if max(last) / s <= 10)
    for tick in range(int(max(last) / step) + 1):
        x = LEFT + tick * step * scale
        out.append(f'<line x1="{x:.1f}" y1="{tops[0]}" x2="{x:.1f}" y2="{end}" stroke="{RULE}"/>')
        out.append(text(x, end + 18, f"{1000 * tick * step:g} ms", 11, "middle", MUTED))
    for rows, top, colour, name, seconds in ((before, tops[0], GREY, options.library, last[0]),
                                             (after, tops[1], BLUE, "the same program with Espalier", last[1])):
        out.append(text(LEFT, top - 10, f"{name}: {1000 * seconds:.0f} ms until the last host has it", 13, weight="bold"))
        out += panel(rows, top, scale, colour)
    x = LEFT + last[1] * scale + 24
    out.append(text(x, tops[1] + height / 2 + 12, f"{last[0] / last[1]:.1f} times faster", 34, fill=BLUE, weight="bold"))
    print("\n".join(out + ["</svg>"]))


if __name__ == "__main__":
    main()
