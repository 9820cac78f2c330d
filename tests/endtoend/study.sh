#!/usr/bin/env bash
# Comparisons of several sizes, roots and networks: averages, CSV, pictures, pages; and that one
# comparison is what it always was.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1
table4=$root/examples/table4/network.json
some=(--algorithm flat,ecef,ecef-la)

# One: the same as each alone.
accepts compare broadcast "$table4" --bytes 64KiB "${some[@]}" --json
json_holds 'the file of a comparison' 'd["format"] == "espalier-comparison" and sorted(r["algorithm"] for r in d["results"]) == ["ecef", "ecef-la", "flat"]'
json '[r["makespan"] for r in d["results"] if r["algorithm"] == "ecef"][0]' >alone.txt
accepts compare broadcast "$table4" --bytes 64KiB "${some[@]}" --csv - -o one.json
holds 'a line for each' test "$(wc -l <"$out")" = 4
holds 'with its time' grep -q "^broadcast,$table4,65536,,,ecef,,$(cat alone.txt)," "$out"

# Sizes and roots.
accepts compare broadcast "$table4" --bytes 1KiB..4KiB,64KiB --roots all "${some[@]}" --csv all.csv --averages means.csv --plot plot.svg -o study.json
holds 'it says what it is' grep -q "^broadcast on $table4, 4 sizes, 6 roots$" "$out"
holds 'all algorithms over all' grep -Eq '^  ecef-la +[0-9]+/24 ' "$out"
holds 'a row for each size' grep -Eq '^  64 KiB +(flat|ecef|ecef-la) ' "$out"
holds 'each plan has its line' test "$(wc -l <all.csv)" = $((4 * 6 * 3 + 1))
holds 'and each mean' test "$(wc -l <means.csv)" = $((4 * 3 + 1))
holds 'an independent reader finds the same means and intervals' python3 - <<'P'
import csv, math, statistics
plans, bests = {}, {}
for row in csv.DictReader(open("all.csv")):
    key = (row["bytes"], row["algorithm"])
    plans.setdefault(key, []).append(float(row["makespan"]))
t = 2.570582  # of five degrees of freedom
for row in csv.DictReader(open("means.csv")):
    times = plans[row["bytes"], row["algorithm"]]
    assert len(times) == int(row["plans"]) == 6
    mean, off = statistics.mean(times), t * statistics.stdev(times) / math.sqrt(6)
    assert math.isclose(float(row["mean"]), mean, rel_tol=1e-9), row
    assert math.isclose(float(row["high95"]) - mean, off, rel_tol=2e-3), (row, off)
    assert math.isclose(mean - float(row["low95"]), off, rel_tol=2e-3), (row, off)
    assert float(row["lower_bound"]) <= mean
P
holds 'the picture is one' python3 - <<'P'
import xml.dom.minidom
picture = xml.dom.minidom.parse("plot.svg")
words = [t.firstChild.data for t in picture.getElementsByTagName("text") if t.firstChild]
assert {"flat", "ecef", "ecef-la", "lower bound"} <= set(words), words
lines = [g for g in picture.getElementsByTagName("g") if g.getAttribute("class") == "series"]
assert len(lines) == 4
markers = [g for g in picture.getElementsByTagName("g") if g.getAttribute("class") == "marker"]
assert len(markers) == 12
bars = [g for g in picture.getElementsByTagName("g") if g.getAttribute("class") == "off"]
assert len(bars) == 12
P
json_holds 'its file' 'd["format"] == "espalier-study" and len(d["cells"]) == 24 and {c["root"] for c in d["cells"]} == {"c%d" % k for k in range(6)}' study.json
accepts report study.json -o study.html
holds 'a page' grep -q 'is nearest to the fastest of 3 algorithms' study.html
holds 'it says by which command' grep -q 'written by <code>espalier compare broadcast ' study.html
accepts compare scatter "$table4" --bytes 8,1KiB --roots c1-0,c0-3 --algorithm direct --csv -
holds 'roots by name' test "$(cut -d, -f4 "$out" | sort -u | wc -l)" = 3
accepts compare allreduce "$table4" --bytes 8,1KiB --algorithm centre --csv -
holds 'what has no root has sizes' test "$(wc -l <"$out")" = 3

# Networks by seed: those of generate, and files.
accepts compare broadcast generate:gusto,nodes=5 --seeds 1..3 --bytes 1KiB "${some[@]}" --csv drawn.csv
mkdir files
for seed in 1 2 3; do accepts generate gusto --nodes 5 --seed $seed -o files/n$seed.json; done
accepts compare broadcast 'files/n{seed}.json' --seeds 1..3 --bytes 1KiB "${some[@]}" --csv read.csv
holds 'a network is drawn as generate draws it' \
    cmp <(python3 -c 'import csv; [print(r["seed"], r["algorithm"], r["makespan"]) for r in csv.DictReader(open("drawn.csv"))]') \
    <(python3 -c 'import csv; [print(r["seed"], r["algorithm"], r["makespan"]) for r in csv.DictReader(open("read.csv"))]')
accepts compare broadcast generate:sender,nodes=6 --seeds 1..4 --algorithm fnf,optimal --averages -
holds 'networks without sizes' grep -Eq '^broadcast,"generate:sender,nodes=6",,optimal,4,' "$out"
accepts compare broadcast generate:sender,nodes=6 --seeds 1..4 --algorithm fnf,optimal
holds 'in words, too' grep -Eq '^  optimal +4/4 +0.0% ' "$out"

# What can't be.
rejects 2 "--seeds: .*table4.* is the same for each" compare broadcast "$table4" --bytes 8 --seeds 1..3
rejects 2 '--seeds: needed' compare broadcast 'n{seed}.json' --bytes 8
rejects 2 'gird' compare broadcast generate:gird --bytes 8 --seeds 1
rejects 2 'allreduce has no root' compare allreduce "$table4" --bytes 8 --roots all
rejects 2 'c9' compare broadcast "$table4" --bytes 8 --roots c9 --algorithm flat
rejects 2 'did you mean ecef' compare broadcast "$table4" --bytes 8 --algorithm ecf
rejects 2 "--bytes: '4KiB..1KiB' is no range" compare broadcast "$table4" --bytes 4KiB..1KiB
rejects 2 '--plot: plot.png: it is written as .svg' compare broadcast "$table4" --bytes 8,9 --plot plot.png
rejects 2 '--plot: time over size needs sizes' compare broadcast generate:sender --seeds 1,2 --algorithm fnf --plot p.svg
rejects 2 'nowhere/x.csv' compare broadcast "$table4" --bytes 8,9 --csv nowhere/x.csv
rejects 2 'two things at once' compare broadcast "$table4" --bytes 8,9 --csv a.csv --averages a.csv
printf '{"format":"espalier-study","version":1,"collective":"c","network":"n","cells":[' >cut.json
rejects 2 'cut.json' report cut.json -o cut.html
finish
