#!/usr/bin/env bash
# The uplink of a site gets slow while a program runs: a later program plans for that from its first call,
# and one that comes when it is fast again finds that out. What is broken in what is kept costs a line.
source "$(dirname "${BASH_SOURCE[0]}")/testbed.bash"

needs_three_sites

remembering() {
    python3 "$root/tests/endtoend/remembering.py" "$work/sites.json" --build "$build" --out "$work/out" \
        --congestion "$congestion" --what "middle uplink" --slow rate=10Mbit/s --fast rate=80Mbit/s >"$out" 2>"$err"
}
results() {
    json_holds "$1" "(lambda ms: $2)(lambda job, calls: (lambda s: sorted(s)[len(s) // 2])(d[job]['seconds'][-1][calls]))" \
        "$work/out/results.json"
}
holds "all results are right" remembering
json_holds "the first job's calls tell a change, which is kept" \
    'd["learns"]["changes"] >= 1 and len(d["learns"]["kept"]) >= 1' "$work/out/results.json"
json_holds "the second one knows it" 'len(d["knows"]["known"]) == 1' "$work/out/results.json"
((failures == 0)) || json '[(job, d[job]["began_s"], d[job]["known"], d[job]["kept"]) for job in d]' "$work/out/results.json"
results "and plans for it from its first call" "ms('knows', slice(1, 4)) < 0.6 * ms('slow', slice(1, None))"
results "the third one finds out that it is over" "ms('recovers', slice(-100, None)) < 1.15 * ms('fast', slice(1, None))"
json_holds "and forgets it" 'd["recovers"]["kept"] == []' "$work/out/results.json"
json_holds "a change of something else is dropped, with one line" \
    'len(d["other"]["complaints"]) == 1 and "forgotten" in d["other"]["complaints"][0] and d["other"]["kept"] == []' \
    "$work/out/results.json"
json_holds "a broken file costs one line" \
    'len(d["broken"]["complaints"]) == 1 and "as it was measured" in d["broken"]["complaints"][0]' "$work/out/results.json"
holds "nothing stays behind" nothing_left
finish
