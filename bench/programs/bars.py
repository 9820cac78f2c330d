#!/usr/bin/env python3
"""Draws what programs.py found: each program's seconds, natively and with the library, and what of them is in collectives.

    bars.py RESULTS.json >PICTURE.svg
"""

import argparse
import html
import json
import pathlib
import statistics
import sys

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "before_after"))

from draw import BLUE, FONT, GREY, INK, MUTED, RULE, WIDTH, text  # noqa: E402

LEFT, RIGHT, BAR, ROW, TOP = 240, 90, 11, 34, 62
WAYS = (("native", "left", GREY), ("ours", "told", BLUE))


def bars(one, y, scale):
    """Two bars, one below the other, whose part in collectives is full; how many times the second is as fast."""
    out, times = [], []
    for way, of_share, colour in WAYS:
        seconds = statistics.median(one["seconds"][way])
        times.append(seconds)
        share = one["shares"].get(of_share)
        words = f"{one['program']}, {way}: {seconds:.1f} s" + (f", {100 * share:.0f}% in collectives" if share is not None else "")
        out.append(f'<rect x="{LEFT}" y="{y}" width="{seconds * scale:.1f}" height="{BAR}" fill="{colour}" fill-opacity="{0.4 if share is not None else 0.7}">'
                   f"<title>{html.escape(words)}</title></rect>")
        if share is not None:
            out.append(f'<rect x="{LEFT}" y="{y}" width="{share * seconds * scale:.1f}" height="{BAR}" fill="{colour}" pointer-events="none"/>')
        y += BAR + 1
    return out, times


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("results", type=pathlib.Path)
    options = parser.parse_args()
    found = [one for one in json.loads(options.results.read_text()) if None not in sum(one["seconds"].values(), []) and one["seconds"]["ours"]]
    if not found:
        sys.exit(f"bars: {options.results}: no program ran in both ways")
    most = max(statistics.median(one["seconds"][way]) for one in found for way, _, _ in WAYS)
    scale = (WIDTH - LEFT - RIGHT) / most
    out, y, network = [], TOP, None
    for one in found:
        if one["network"] != network:
            network = one["network"]
            out.append(text(16, y + 16, network, 13, weight="bold"))
            y += 26
        out.append(text(LEFT - 8, y + BAR + 4, one["program"], 11, "end"))
        drawn, times = bars(one, y, scale)
        out += [*drawn, text(LEFT + max(times) * scale + 6, y + BAR + 4, f"{times[0] / times[1]:.2f} times", 12, fill=INK, weight="bold")]
        y += ROW
    step = next(s for s in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if most / s <= 10)
    lines = []
    for tick in range(int(most / step) + 1):
        x = LEFT + tick * step * scale
        lines.append(f'<line x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{y}" stroke="{RULE}"/>')
        lines.append(text(x, y + 16, f"{tick * step} s", 11, "middle", MUTED))
    title = "Whole runs of other people's programs"
    print("\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{y + 30}" font-family=\'{FONT}\' role="img" aria-label="{title}">',
                     f'<rect width="{WIDTH}" height="{y + 30}" fill="#ffffff"/>', text(16, 26, title, 18, weight="bold"),
                     text(16, 46, "grey natively, blue with Espalier; dark: in collectives, where that is known", 12, fill=MUTED), *lines, *out, "</svg>"]))


if __name__ == "__main__":
    main()
