#!/usr/bin/env bash
# bench/grid-tcp times a collective over a testbed of two sites: stock and ours by turns, and no call
# is over before light could have been there.
source "$(dirname "${BASH_SOURCE[0]}")/testbed.bash"

bench=$root/bench/grid-tcp/run
[[ -z ${ESPALIER_SANITIZE:-} ]] || skip "a sanitizer can't be preloaded into ranks"
command -v mpirun.openmpi >/dev/null || skip "no Open MPI"
cat >"$work/sites.json" <<'JSON'
{"format":"espalier-testbed","version":1,
 "sites":[{"name":"here","uplink":"80Mbit/s","downlink":"80Mbit/s"},
          {"name":"there","uplink":"80Mbit/s","downlink":"80Mbit/s"}],
 "clusters":[{"name":"a","site":"here","hosts":2,"latency":"100us","rate":"400Mbit/s"},
             {"name":"b","site":"there","hosts":2,"latency":"100us","rate":"400Mbit/s"}],
 "latency":[["here","there","5ms"]]}
JSON
needs_testbed "$work/sites.json"
read -r congestion _ </proc/sys/net/ipv4/tcp_allowed_congestion_control

if ! "$bench" --build "$build" --testbed "$work/sites.json" --out "$work/out" --only broadcast \
    --sizes 8 --libraries tuned,espalier-openmpi --orders ordered,shuffled \
    --congestion "$congestion" --network described --plan always --rounds 1 --repetitions 3 \
    >"$out" 2>"$err"; then
    complain "the bench ends"
    finish
fi
results=$work/out/results.json
json_holds "both are timed in both orders" 'len(d["rows"]) == 4' "$results"
json_holds "the data are right" 'all(r["right"] for r in d["rows"])' "$results"
json_holds "calls are repeated" 'all(len(r["seconds"]) > 0 for r in d["rows"])' "$results"
json_holds "no call is faster than light" \
    'all(0.005 < t < 2 for r in d["rows"] for t in r["seconds"])' "$results"
json_holds "ours was planned, and says so" \
    'all(r["predicted_s"] > 0.005 for r in d["rows"] if r["library"] == "espalier-openmpi")' \
    "$results"
json_holds "the bound is the latency" \
    'abs(d["bounds"]["described"]["broadcast 8"]["seconds"] - 0.005) < 0.0005' "$results"
holds "the table has the cell" grep -q '^| broadcast | 8 B | .* tuned ' "$work/out/table.md"
holds "nothing stays behind" nothing_left
finish
