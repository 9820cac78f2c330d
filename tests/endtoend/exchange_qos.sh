# Critical nodes, deadlines, priorities, relays and rehearsals from the command line, and bad input.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1

gusto=$root/examples/gusto/network.json
cat >due.csv <<'CSV'
,AMES,ANL,IND,USC-ISI,NCSA
AMES,,1,,,
ANL,,,2,,
IND,10ms,,,,
USC-ISI,,,,,0.9
NCSA,,,,,
CSV
sed 's/10ms/3/; s/0.9/0.5/; s/,2,/,7,/' due.csv >weight.csv

# A schedule that misses a deadline is one: it says what is missed, and checking says the same.
accepts plan alltoall "$gusto" --bytes 10KiB --deadlines due.csv --priorities weight.csv \
    --algorithm optimal -o s.json
holds 'the first lines say it' grep -q '^1 of 4 deadlines is missed, of priority 3; proven' "$out"
holds 'the table says it' grep -Eq 'IND +AMES +3 +10 ms +423 ms +413 ms' "$out"
json_holds 'the file says it' '(d["deadlines"] == "impossible" and d["missed_lower_bound"] == 3 and
    [(m["from"], m["to"], m["priority"]) for m in d["missed"]] == [("IND", "AMES", 3)] and
    abs(d["missed"][0]["end"] - d["missed"][0]["deadline"] - d["missed"][0]["late_by"]) < 1e-12)' s.json
accepts check s.json --network "$gusto"
holds 'check says it' grep -q '^1 of 4 deadlines is missed, of priority 3' "$out"
accepts check s.json --network "$gusto" --json
json_holds 'check --json says it' 'len(d["missed"]) == 1 and d["deadlines"] == "impossible"' "$out"

accepts plan alltoall "$gusto" --bytes 10KiB --critical ANL --time-limit 200ms -o s.json
holds 'when the critical node is done' grep -q '^critical node ANL is done at 565 ms; no schedule' "$out"
accepts check s.json --network "$gusto" --json
json_holds 'check finds that, too' 'd["critical"] == "ANL" and abs(d["critical_done"] - 0.565) < 1e-3' "$out"

accepts plan alltoall "$gusto" --bytes 10KiB --relays --time-limit 200ms -o s.json --json
json_holds 'relays need a bound for any schedule' \
    'd["bound_scope"] == "any" and d["lower_bound"] <= d["makespan"] < 1.1' s.json
accepts check s.json --network "$gusto"

accepts rehearse alltoall "$gusto" --bytes 10KiB --noise 1 --json
json_holds 'five policies' 'len(d["policies"]) == 5 and all(
    d["lower_bound"] * (1 - 1e-9) <= p["replayed_makespan"] <= p["makespan"] * (1 + 1e-9) for p in d["policies"])' "$out"
for ports in 1 2 3; do
    accepts rehearse alltoall "$gusto" --bytes 10KiB --noise 1 --ports $ports --checkpoints never --json
    json_holds "the order is that of $ports ports" \
        'all(abs(p["replayed_makespan"] / p["makespan"] - 1) < 1e-9 for p in d["policies"])' "$out"
done
accepts rehearse alltoall "$gusto" --truth "$gusto" --bytes 10KiB --checkpoints every --json
json_holds 'what is as foretold is not planned anew' 'all(p["reschedulings"] == 0 for p in d["policies"])' "$out"

# refused ARGS... -- TEXT: status 2, and one line with that text.
refused() {
    local arguments=()
    while [ "$1" != -- ]; do
        arguments+=("$1")
        shift
    done
    run "${arguments[@]}"
    [ "$status" = 2 ] || complain "${arguments[*]}: status $status"
    [ "$(wc -l <"$err")" = 1 ] || complain "${arguments[*]}: not one line"
    grep -qF -- "$2" "$err" || complain "${arguments[*]}: it does not say: $2"
}
plan=(plan alltoall "$gusto" --bytes 1kB)
printf '0,1\n1,0\n' >small.csv
sed 's/10ms/-1/' due.csv >negative.csv
sed 's/10ms/0/' due.csv >zero.csv
sed 's/10ms/soon/' due.csv >word.csv
refused "${plan[@]}" --critical nobody -- "--critical: no node is named 'nobody'"
refused "${plan[@]}" --deadlines small.csv -- 'small.csv: it is 2 x 2, and the network has 5 nodes'
refused "${plan[@]}" --deadlines negative.csv -- 'IND to AMES): -1 is negative'
refused "${plan[@]}" --deadlines zero.csv -- 'zero.csv: IND to AMES: a deadline is positive'
refused "${plan[@]}" --critical '' -- '--critical: it is empty'
refused "${plan[@]}" --deadlines word.csv -- "'soon' is not a time"
refused "${plan[@]}" --deadlines due.csv --priorities zero.csv -- 'IND to AMES: a priority is positive'
refused "${plan[@]}" --deadlines due.csv --priorities due.csv -- "'10ms' is not a number"
refused "${plan[@]}" --priorities weight.csv -- '--priorities: they count only where there are --deadlines'
refused plan broadcast "$gusto" --bytes 1kB --critical AMES -- '--critical: only for alltoall'
refused plan broadcast "$gusto" --bytes 1kB --relays -- '--relays: only for alltoall'
rehearse=(rehearse alltoall "$gusto" --bytes 1kB)
refused "${rehearse[@]}" -- '--truth: give either'
refused "${rehearse[@]}" --noise 1 --truth "$gusto" -- '--truth: give either'
refused "${rehearse[@]}" --noise -1 -- '--noise: it is negative'
refused "${rehearse[@]}" --noise 1 --threshold -1 -- '--threshold: it is negative'
refused "${rehearse[@]}" --noise 1 --checkpoints often -- "'often' is none of never, half, every, all"
refused "${rehearse[@]}" --noise 1 --algorithm auto -- 'not of auto'
refused "${rehearse[@]}" --noise 1 --algorithm caterpillar-barrier -- 'are not rehearsed'
refused "${rehearse[@]}" --noise 1 --critical AMES -- 'a rehearsal is about the makespan'
refused "${rehearse[@]}" --truth "$networks/pairwise.json" -- 'nodes: they are not those of'

finish
