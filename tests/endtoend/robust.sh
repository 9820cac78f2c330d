# Plans for a percentile of the makespan: planned, explained, compared, checked; bad input.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1

# From a to b it takes 1.9 s straight, give or take a factor of two, and 2 s for certain through c.
cat >detour.json <<'JSON'
{"format":"espalier-network","version":1,"model":"grid","unstated":"separate",
 "clusters":[{"name":"a","nodes":["a-0"]},{"name":"b","nodes":["b-0"]},{"name":"c","nodes":["c-0"]}],
 "latency_s":[[0,1.9,1],[1,0,1],[1,1,0]], "gap_s":[[0,0.001,0.001],[0.001,0,0.001],[0.001,0.001,0]],
 "spread":[[0,1,0],[0,0,0],[0,0,0]]}
JSON

accepts plan broadcast detour.json --bytes 1KiB -o plain.json --json
json_holds 'stated costs: straight' "1.9 < d['makespan'] < 1.95 and 'robust' not in d" plain.json
accepts plan broadcast detour.json --bytes 1KiB --robust p90 --explain -o plan.json
holds 'it says what the percentile is' grep -q '^p90 of the makespan 2 s, at most .* over the best possible' "$out"
holds 'it says what candidates were made for' grep -q 'made for mean costs' "$out"
json_holds 'p90: round' "2 < d['makespan'] < 2.01 and d['robust']['percentile'] == 90 and abs(d['robust']['makespan'] - d['makespan']) < 1e-9 and 0 < d['robust']['lower_bound'] <= d['robust']['makespan'] and any('robust_s' in c for c in d['x-candidates'])" plan.json
cp plan.json first.json
accepts plan broadcast detour.json --bytes 1KiB --robust p90 --explain -o plan.json
holds 'it is the same each time' cmp -s first.json plan.json

accepts check plan.json --network detour.json --json
json_holds 'the percentile is computed anew' "d['valid'] and d['robust']['percentile'] == 90 and d['robust']['makespan'] == d['robust']['stated_makespan']" "$out"
accepts check plan.json --network detour.json
holds 'and printed' grep -q '^p90 2 s, stated 2 s' "$out"
python3 - <<'PYTHON'
import json
plan = json.load(open("plan.json"))
plan["robust"]["makespan"] = plan["robust"]["lower_bound"] = 1.5
json.dump(plan, open("bold.json", "w"))
plan["robust"]["percentile"] = 49
json.dump(plan, open("low.json", "w"))
PYTHON
rejects 3 'bold.json: the p90 of the makespan is stated as 1.5 s, and it is 2' check bold.json --network detour.json
rejects 2 'low.json: robust.percentile: 49 is not from 50 to 99' check low.json --network detour.json

# In every model that has pairs, level by level, and where insides are known by their time alone.
for network in pairwise sites grid links; do
    accepts plan broadcast "$networks/$network.json" --bytes 64KiB --robust p75 -o plan.json --json
    accepts check plan.json --network "$networks/$network.json" --json
    json_holds "$network: as stated" "d['valid'] and abs(d['robust']['makespan'] / d['robust']['stated_makespan'] - 1) < 1e-9" "$out"
done
accepts plan allreduce "$networks/sites.json" --bytes 64KiB --robust p75 -o plan.json --json
accepts check plan.json --network "$networks/sites.json" --json
json_holds 'allreduce: as stated' "d['valid'] and d['robust']['makespan'] == d['robust']['stated_makespan']" "$out"

accepts compare broadcast detour.json --bytes 1KiB --robust p90 --time-limit 100ms --json
json_holds 'compared by the percentile' "(lambda t: t == sorted(t) and len(t) > 3 and d['robust_lower_bound'] <= t[0])([r['robust']['makespan'] for r in d['results']])" "$out"
accepts compare broadcast detour.json --bytes 1KiB --robust p90 --time-limit 100ms
holds 'in a column of its own' grep -q '^ *algorithm *p90 (s) *makespan (s)' "$out"
holds 'with its bound' grep -q '^lower bound .* of p90 of the makespan' "$out"

for text in p49 p100 90 p90.5 high; do
    rejects 2 "\-\-robust: '$text' is none of p50, …, p99" plan broadcast detour.json --bytes 1KiB --robust "$text"
done
rejects 2 '\-\-robust: the times of a sender network have no spread' plan broadcast "$networks/sender.json" --robust p90
rejects 2 '\-\-robust: only where nothing else is asked' plan alltoall detour.json --bytes 1KiB --relays --robust p90
sed 's/"spread":\[\[0,1,0\]/"spread":[[0,-1,0]/' detour.json >negative.json
rejects 2 'negative.json: spread\[0\]\[1\]: .*negative' plan broadcast negative.json --bytes 1KiB
sed 's/"spread":\[\[0,1,0\]/"spread":[[0,1001,0]/' detour.json >wide.json
rejects 2 'wide.json: spread\[0\]\[1\]: 1001 is over 1000' plan broadcast wide.json --bytes 1KiB

finish
