#!/usr/bin/env bash
# The uplink of a site that a broadcast goes through gets slower while a program runs, and a path longer and
# shorter again: its calls tell, plans that avoid them take over, and results stay right.
source "$(dirname "${BASH_SOURCE[0]}")/testbed.bash"

needs_three_sites

steps() {
    "$root/bench/changing/steps.py" "$work/sites.json" --build "$build" --out "$work/out" \
        --congestion "$congestion" --measure-budget 4s --what "middle uplink" \
        --states rate=80Mbit/s,rate=10Mbit/s --only broadcast --sizes 512KiB --calls 40 --seconds 12 >"$out" 2>"$err"
}
holds "all results are right while the network changes" steps
json_holds "calls tell that it did" 'd["changes"] >= 1' "$work/out/results.json"
json_holds "and get a plan that takes little of what the old one takes" \
    '(lambda median: median(d["adapting"]["broadcast 512 KiB"][1]) <
        0.6 * median(d["never"]["broadcast 512 KiB"][1]))(
        lambda times: sorted(times[len(times) // 2:])[len(times) // 4])' "$work/out/results.json"

path() {
    "$root/bench/changing/steps.py" "$work/sites.json" --build "$build" --out "$work/path" \
        --congestion "$congestion" --measure-budget 4s --what "middle last" \
        --states latency=4ms,latency=40ms --only broadcast --sizes 1KiB --calls 200 --seconds 12 >"$out" 2>"$err"
}
holds "all results are right while a path changes" path
# With what the leader found, where it fails.
last_quarter() {
    local before=$failures
    json_holds "$1" "(lambda ms: $2)(lambda job, step: sorted(d[job]['broadcast 1 KiB'][step][-50:])[25])" \
        "$work/path/results.json"
    ((failures == before)) || grep -h "espalier: broadcast" "$work"/path/log-*-auto-*.txt | uniq
}
last_quarter "a longer path is avoided" "ms('adapting', 1) < 0.5 * ms('never', 1)"
last_quarter "and taken when it is short again" "ms('adapting', 2) < 1.15 * ms('never', 2)"
holds "nothing stays behind" nothing_left
finish
