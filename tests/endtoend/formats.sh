# The example files of all four models are read, and come back as they were.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

# same A B: two documents say the same, numbers by value.
same() {
    python3 - "$@" <<'PYTHON'
import json, sys

def known(value, diagonal=False):
    if isinstance(value, dict):
        return {k: known(v) for k, v in value.items() if not k.startswith("x-")}
    if isinstance(value, list):
        square = bool(value) and all(isinstance(r, list) and len(r) == len(value) for r in value)
        return [[0 if square and i == j else known(c) for j, c in enumerate(r)] if square else known(r)
                for i, r in enumerate(value)]
    return float(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else value

a, b = (known(json.load(open(name))) for name in sys.argv[1:])
sys.exit(a != b)
PYTHON
}

for file in "$networks"/*.json "$root"/examples/table4/network.json; do
    name=$(basename "$file")
    accepts convert "$file" -o "$work/once.json"
    holds "$name comes back" same "$file" "$work/once.json"
    accepts convert "$work/once.json" -o "$work/twice.json"
    holds "$name is written alike twice" cmp -s "$work/once.json" "$work/twice.json"
    accepts convert "$file" --json
    holds "$name is printed as it is written" cmp -s "$out" "$work/once.json"
done

# From the detailed to the simple; the numbers by hand.
accepts convert "$networks/links.json" --to pairwise
json_holds 'a route has its latencies and start-ups' 'd["startup_s"][0][1] == 0.75' "$out"
json_holds 'a route is as fast as its slowest link' 'd["bandwidth_Bps"][0][1] == 4' "$out"
accepts convert "$networks/sites.json" --to pairwise --bytes 65536
json_holds 'every node is there' 'len(d["nodes"]) == 8' "$out"
json_holds 'delivery is g + L' \
    'abs(d["startup_s"][0][1] + 65536 / d["bandwidth_Bps"][0][1] - (6e-4 + 9e-5)) < 1e-12' "$out"
accepts convert "$networks/pairwise.json" --to grid
json_holds 'each node is a cluster' '[c["name"] for c in d["clusters"]] == ["AMES", "ANL", "IND", "USC"]' "$out"
json_holds 'an unknown pair stays unknown' 'd["latency_s"][0][3] is None and d["gap_s"][0][3] is None' "$out"
json_holds 'a cap is shared by all pairs of its node' \
    '[s["capacity_Bps"] for s in d["shared"] if s["pairs"] == [["IND", x] for x in ("AMES", "ANL", "USC")]] == [3e5]' "$out"
sed '/startup_s/s/null/0.04/; /bandwidth_Bps/s/null/30000/' "$networks/pairwise.json" >"$work/complete.json"
accepts convert "$work/complete.json" --to sender --bytes 64000
json_holds 'a sender takes its mean time' \
    'abs(d["nodes"][0]["transmission_time"] - ((0.0345 + 1) + (0.012 + 0.256) + (0.04 + 64 / 30)) / 3) < 1e-9' "$out"
printf ',a,b\na,,120\nb,,\n' >"$work/latency.csv"
accepts convert "$work/latency.csv" --unit ms
json_holds 'a latency becomes a start-up' 'd["startup_s"] == [[0, 0.12], [None, 0]]' "$out"

accepts algorithms --json
json_holds 'the table of algorithms is a document' \
    'd["format"] == "espalier-algorithms" and {"ecef", "bottom-up", "d-ary"} <= {a["name"] for a in d["algorithms"]}' "$out"
for words in --help --version 'plan --help' 'run --help' 'measure --help'; do
    # shellcheck disable=SC2086
    accepts $words
    holds "$words prints something" test -s "$out"
done
finish
