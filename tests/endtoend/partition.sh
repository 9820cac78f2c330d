# The six clusters of the 88 machines come back, from the example and from noisy copies of it.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

table4=$root/examples/table4
six='sorted(sorted({m.split("-")[0] for m in c}) for c in d["clusters"]) == [["c%d" % k] for k in range(6)] and sum(map(len, d["clusters"])) == 88'
for tolerance in 0.2 25% 0.3; do
    accepts partition "$table4/latency_88_us.csv" --tolerance "$tolerance" --json -o "$work/clusters.json"
    json_holds "six clusters at $tolerance" "$six" "$out"
    holds 'the file says the same' cmp -s "$out" "$work/clusters.json"
    accepts partition "$table4/network.json" --tolerance "$tolerance" --json
    json_holds "six clusters of the network at $tolerance" "$six" "$out"
done
json_holds 'the tolerance is told' 'd["format"] == "espalier-clusters" and d["tolerance"] == 0.3' "$work/clusters.json"

for seed in 1 2 3; do
    accepts generate grid --expand "$table4/latency_us.csv" --sizes 31,29,6,1,1,20 --noise 10% --seed $seed -o "$work/noisy.csv"
    for tolerance in 0.2 0.25 0.3; do
        accepts partition "$work/noisy.csv" --tolerance $tolerance --json
        json_holds "six clusters at $tolerance with noise, seed $seed" "$six" "$out"
    done
done
accepts generate grid --expand "$table4/latency_us.csv" --sizes 31,29,6,1,1,20 --seed 1 -o "$work/again.csv"
accepts partition "$work/again.csv" --tolerance 0.3 --method closeness --json
json_holds 'closeness places everyone' 'sum(map(len, d["clusters"])) == 88' "$out"

# Unknown pairs: it says whom it could not place.
printf ',a,b,c\na,,1,\nb,1,,\nc,,,\n' >"$work/holes.csv"
accepts partition "$work/holes.csv" --json
json_holds 'what is unknown is set apart' 'd["clusters"] == [["a", "b"], ["c"]] and d["unplaced"] == ["c"]' "$out"
holds 'and there is a warning' grep -q '^espalier: warning: .*1 node' "$err"
accepts partition "$work/holes.csv"
holds 'people read it, too' grep -q 'Nothing is known of 1 node: c' "$out"

accepts generate grid --clusters 5 --seed 7 -o "$work/a.json"
accepts generate grid --clusters 5 --seed 7 -o "$work/b.json"
accepts generate grid --clusters 5 --seed 8 -o "$work/c.json"
holds 'one seed, one grid' cmp -s "$work/a.json" "$work/b.json"
holds 'another seed, another grid' bash -c "! cmp -s '$work/a.json' '$work/c.json'"
finish
