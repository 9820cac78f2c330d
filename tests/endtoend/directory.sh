# Measurements go into a directory and come back as a network; what is wrong is told in one line.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1

# A network that is added comes back as it was.
accepts directory add a.db "$networks/pairwise.json"
holds 'it says how many' grep -qx 'a.db: 30 measurements added' "$out"
accepts directory export a.db -o back.json
json_holds 'the network comes back' '{k: v for k, v in d.items() if k != "measured"} == {k: v for k, v in json.load(open("'"$networks/pairwise.json"'")).items() if k != "measured"}' back.json
json_holds 'and says where it is from' 'd["measured"]["source"] == "a.db" and d["measured"]["rule"] == "newest" and d["measured"]["measurements"] == 30 and d["measured"]["oldest_age_s"] >= 0' back.json
accepts directory add t.db "$root/examples/table4/network.json"
accepts directory export t.db --json
json_holds 'clusters and gap tables come back' '[d[k] for k in ("clusters", "latency_s", "gap_s", "shared")] == [json.load(open("'"$root/examples/table4/network.json"'"))[k] for k in ("clusters", "latency_s", "gap_s", "shared")]'

# A history: each time has its network, each rule its value.
for i in 1 2 3 4 5; do
    accepts directory add h.db --from x --to y --latency "${i}ms" --bandwidth "${i}MB/s" --by probe --at "2026-11-0${i}T12:00:00Z"
done
latency() {
    accepts directory export h.db --json "$@"
    json 'd["startup_s"][0][1]'
}
holds 'the newest' test "$(latency)" = 0.005
holds 'the newest then' test "$(latency --at 2026-11-03T12:00:00Z)" = 0.003
holds 'the newest before' test "$(latency --at 2026-11-03T11:59:59Z)" = 0.002
holds 'a median' test "$(latency --at 2026-11-05T12:00:00Z --old median:2d)" = 0.004
holds 'a median of all' test "$(latency --old median)" = 0.003
holds 'a percentile' test "$(latency --old p75)" = 0.004
json_holds 'of bandwidths the other side' 'd["bandwidth_Bps"][0][1] == 2e6'
json_holds 'nobody measured the way back' 'd["startup_s"][1][0] is None'
accepts directory show h.db --pair x:y
holds 'the history of a pair' test "$(grep -c probe "$out")" = 10
accepts directory show h.db --at 2026-11-02
holds 'nothing that is newer' grep -q 'h.db: 2 measurements of 1 pair' "$out"
accepts directory show h.db --json -o all.json
json_holds 'all of them' 'd["format"] == "espalier-measurements" and len(d["measurements"]) == 10 and d["nodes"] == ["x", "y"]' all.json
accepts directory add copy.db all.json
accepts directory add copy2.db h.db
for copy in copy.db copy2.db; do
    accepts directory show $copy --json
    json_holds "$copy holds the same" 'd["measurements"] == json.load(open("all.json"))["measurements"]'
done
accepts directory prune h.db --before 2026-11-03T12:00:00Z
holds 'it says how many went' grep -q '^h.db: 4 measurements ' "$out"
accepts directory prune h.db --older-than 100000d --json
json_holds 'none is so old' 'd["pruned"] == 0'
holds 'and no file is left beside it' test "$(ls h.db*)" = h.db

# What was measured together tells what is shared.
cat >shared.csv <<'CSV'
at,by,from,to,quantity,size,value,meanwhile
2026-11-21T00:00:00Z,probe,a,x,latency,,10ms,
2026-11-21T00:00:00Z,probe,b,y,latency,,10ms,
2026-11-21T00:00:00Z,probe,a,x,gap,1MB,0.1,
2026-11-21T00:00:00Z,probe,b,y,gap,1MB,0.1,
2026-11-21T00:00:00Z,probe,a,x,bandwidth,,6MB/s,b:y
2026-11-21T00:00:00Z,probe,b,y,bandwidth,,6MB/s,a:x
CSV
accepts directory add shared.db shared.csv
accepts directory export shared.db --json
json_holds 'a shared link' 'd["shared"] == [{"name": d["shared"][0]["name"], "capacity_Bps": 12e6, "pairs": [["a", "x"], ["b", "y"]]}]'
accepts directory export shared.db --model pairwise --json
json_holds 'their own rate is that alone' 'd["bandwidth_Bps"][0][1] == 1e7'
holds 'and a warning says what is missing' grep -q 'shared.db: .*share 1 link' "$err"

# Latencies by CSV.
accepts directory add lat.db "$root/examples/table4/latency_us.csv" --unit us --by survey
accepts directory show lat.db --json
json_holds 'in seconds' 'd["measurements"][0]["by"] == "survey" and 0 < d["measurements"][0]["value"] < 1'

# Whoever takes a network takes a directory.
accepts directory add a.db --from AMES --to USC --latency 40ms
accepts directory add a.db --from AMES --to USC --bandwidth 30kB/s
accepts directory export a.db -o back.json
accepts plan broadcast a.db --bytes 64KiB --root ANL --algorithm flat -o plan.json
accepts plan broadcast back.json --bytes 64KiB --root ANL --algorithm flat -o same.json
holds 'the plan is the same' cmp -s plan.json same.json
accepts check plan.json --network a.db --old newest:1h --at now
accepts compare broadcast t.db --bytes 64KiB --time-limit 100ms --json
json_holds 'every algorithm' 'len(d["results"]) > 5'
accepts convert a.db --to sender --bytes 1KiB --at -0s -o senders.json
accepts partition t.db --json
json_holds 'clusters' 'len(d["clusters"]) == 6'
accepts plan alltoall a.db --bytes 1KiB --algorithm open-shop

# Many at once lose nothing.
for writer in 1 2 3 4; do
    (for i in 1 2 3 4 5; do "$cli" directory add many.db --from "w$writer" --to y --latency "${i}ms" || echo FAILED; done) >"writer$writer.txt" 2>&1 &
done
wait
holds 'nobody fails' bash -c '! grep -q FAILED writer*.txt'
accepts directory show many.db
holds 'all are there' grep -q 'many.db: 20 measurements of 4 pairs' "$out"

# Bad input: one line, and nothing written.
rejects 2 'No such file' directory show none.db
rejects 2 'No such file' directory export none.db
rejects 2 'No such file' directory prune none.db --before now
rejects 2 'is a folder' directory add . --from a --to b --latency 1ms
rejects 2 'No such file' directory add none/d.db --from a --to b --latency 1ms
echo 'not a directory' >text.db
: >empty.db
head -c 6000 t.db >cut.db
python3 - <<'PYTHON'
import sqlite3
c = sqlite3.connect("other.db"); c.execute("create table t(x)"); c.commit(); c.close()
data = bytearray(open("h.db", "rb").read()); data[60:64] = (9).to_bytes(4, "big")
open("newer.db", "wb").write(data)
PYTHON
for command in 'show FILE' 'export FILE' 'prune FILE --before now' 'add FILE --from a --to b --latency 1ms'; do
    for case in 'text.db:no directory of measurements' 'empty.db:no directory of measurements' 'cut.db:damaged or cut off' 'other.db:no directory of measurements' 'newer.db:newer version'; do
        file=${case%%:*}
        before=$(cksum "$file")
        # shellcheck disable=SC2086
        rejects 2 "$file: .*${case#*:}" directory ${command/FILE/$file}
        holds "$file is left alone" test "$before" = "$(cksum "$file")"
    done
done
for file in cut.db newer.db other.db; do
    rejects 2 "$file: " plan broadcast $file --bytes 1KiB
    rejects 2 "$file: " partition $file
    rejects 2 "$file: " check plan.json --network $file
done

python3 - <<'PYTHON' &
import sqlite3, time
c = sqlite3.connect("h.db", isolation_level=None); c.execute("begin immediate")
open("held", "w").close(); time.sleep(60)
PYTHON
holder=$!
until [[ -e held ]]; do sleep 0.02; done
rejects 2 'h.db: locked by another process for more than 100 ms' directory add h.db --from a --to b --latency 1ms --wait 100ms
rejects 2 'h.db: locked' directory prune h.db --before now --wait 0
accepts directory show h.db
kill "$holder"
wait "$holder" 2>/dev/null

rejects 2 'nothing to add' directory add h.db
rejects 2 'from: needs' directory add h.db --from a --to b
rejects 2 'bytes: needed' directory add h.db --from a --to b --gap 1ms
rejects 2 'latency: .*not a time' directory add h.db --from a --to b --latency=-1ms
rejects 2 'bandwidth: .*positive' directory add h.db --from a --to b --bandwidth 0
rejects 2 'bandwidth: .*not a' directory add h.db --from a --to b --bandwidth fast
rejects 2 'names is missing' directory add h.db --from a --latency 1ms
rejects 2 'while: .*not a pair' directory add h.db --from a --to b --latency 1ms --while c
rejects 2 'at: .*not a time' directory add h.db --from a --to b --latency 1ms --at yesterday
rejects 2 'by themselves' directory add h.db all.json --from a --to b --latency 1ms
rejects 2 'sender network states nothing' directory add h.db "$networks/sender.json"
rejects 2 'is the directory itself' directory add h.db h.db
rejects 2 'line 2: value' directory add new.db <(printf 'from,to,quantity,value\na,b,latency,soon\n')
sed 's/2026-11-21T00:00:00Z,probe,b,y,gap,1MB/2026-11-21T00:00:00Z,probe,b,y,gap,/' shared.csv >bad.csv
rejects 2 'bad.csv: line 5: .*size' directory add new.db shared.csv bad.csv
sed 's/by,from/by,colour,from/' shared.csv >bad.csv
rejects 2 "bad.csv: line 1: no column is called 'colour'" directory add new.db bad.csv
python3 -c 'import json; d = json.load(open("all.json")); d["measurements"][3]["value"] = -1; json.dump(d, open("bad.json", "w"))'
rejects 2 'bad.json: measurements\[3\].value: .*negative' directory add new.db bad.json
holds 'nothing was made of all that' test ! -e new.db
accepts directory show h.db
holds 'nothing was lost or added' grep -q 'h.db: 6 measurements' "$out"

rejects 2 'before and --older-than' directory prune h.db
rejects 2 'before and --older-than' directory prune h.db --before now --older-than 1d
rejects 2 'pair: .*no measurement' directory show h.db --pair y:x
rejects 2 'pair: .*not a pair' directory show h.db --pair xy
rejects 2 'model: ' directory export h.db --model links
rejects 2 'old: .*no rule' directory export h.db --old oldest
rejects 2 'no pair was measured' directory export h.db --at 2026-11-01 -o new.json
rejects 2 'no pair was measured' plan broadcast h.db --bytes 1KiB --old newest:1s --at 2026-11-10
rejects 2 'at: .*no directory' plan broadcast "$networks/pairwise.json" --bytes 1KiB --at -1h
rejects 2 'old: .*no directory' partition "$networks/pairwise.json" --old newest
rejects 2 'unit: .*a directory' convert h.db --unit us
rejects 2 'required' directory
ESPALIER_NETWORK=h.db rejects 2 'ESPALIER_NETWORK: h.db is a directory' run -n 1 --mpi openmpi -- true
finish
