#!/usr/bin/env bash
# bench/zoo measures a testbed of two sites and judges what it found: the truth is found right, and what
# is not the truth is not.
source "$(dirname "${BASH_SOURCE[0]}")/testbed.bash"

[[ -z ${ESPALIER_SANITIZE:-} ]] || skip "a sanitizer can't be preloaded into ranks"
command -v mpirun.openmpi >/dev/null || skip "no Open MPI"
cat >"$work/sites.json" <<'JSON'
{"format":"espalier-testbed","version":1,"x-ranks-per-host":2,
 "sites":[{"name":"here","uplink":"40Mbit/s","downlink":"80Mbit/s"},
          {"name":"there","uplink":"60Mbit/s","downlink":"80Mbit/s"}],
 "clusters":[{"name":"a","site":"here","hosts":2,"latency":"100us","rate":"400Mbit/s"},
             {"name":"b","site":"there","hosts":["b-0",{"name":"b-1","rate":"100Mbit/s"},"b-2"],"latency":"100us","rate":"400Mbit/s"}],
 "latency":[["here","there","5ms"]]}
JSON
needs_testbed "$work/sites.json"
read -r congestion _ </proc/sys/net/ipv4/tcp_allowed_congestion_control
results=$work/out/results.json
folder=$work/out/sites
measured=$folder/default/measured-$congestion-openmpi.json

zoo() {
    "$root/bench/zoo/zoo.py" "$work/sites.json" --build "$build" --out "$work/out" --sizes 64KiB \
        --congestion "$congestion" --budget default "$@" >"$out" 2>"$err"
}

# as_measured EXPRESSION: the truth, d, after the expression, stands there as what was measured.
as_measured() {
    python3 -c 'import json, sys
d = json.load(open(sys.argv[1])) | {"measured": {"seconds": 1}}
eval(sys.argv[3])
json.dump(d, open(sys.argv[2], "w"))' "$folder/truth.json" "$measured" "$1"
    zoo --measured --only broadcast,scan || complain "the zoo ends"
}

holds "the zoo ends" zoo --no-plans
json_holds "the budget is of two seconds and ten round trips" \
    '[r["budget_s"] for r in d["rows"]] == [2.1]' "$results"
json_holds "two ranks a host took part" \
    '(d["measured"]["ranks"], d["measured"]["hosts"]) == (10, 5)' "$measured"
json_holds "the slow host is a cluster of its own" \
    'd["rows"][0]["measured"]["clusters"]["true"] == 3' "$results"

as_measured None
json_holds "the truth is right" '[(m["clusters"]["right"], m["latencies"]["right"],
    m["capacities"]["right"], m["shared"]["found"], m["shared"]["invented"])
    for m in [d["rows"][0]["measured"]]] == [(True, 1, 1, 2, [])]' "$results"
json_holds "it makes the same plans" \
    '[c["ratio"] for c in d["rows"][0]["planned"]["cells"]] == [1, 1]' "$results"

as_measured 'd["shared"][0].update(capacity_Bps=1e6)'
json_holds "too little is invented" '[(m["shared"]["found"], len(m["shared"]["invented"]),
    m["capacities"]["right"]) for m in [d["rows"][0]["measured"]]] == [(1, 1, 0.5)]' "$results"

as_measured 'd["latency_s"][0].__setitem__(1, 0.006)'
json_holds "a latency is wrong" '0 < 1 - d["rows"][0]["measured"]["latencies"]["right"] < 0.5' "$results"
json_holds "it is told which" \
    'list(d["rows"][0]["measured"]["latencies"]["off"]) == ["here to there"]' "$results"
holds "the table has a line" grep -q '^| sites |  | default: 2.1 s | openmpi | yes |' "$out"
holds "nothing stays behind" nothing_left
finish
