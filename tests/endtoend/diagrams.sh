# The pictures, pages and traces of plans, from the command line.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1

gusto=$root/examples/gusto/network.json

# contains FILE WORDS...
contains() {
    local file=$1 word
    shift
    for word in "$@"; do
        grep -qF -- "$word" "$file" || complain "$file does not contain $word"
    done
}

# Every view of a plan, and what it is by default.
accepts plan alltoall "$gusto" --bytes 1MB --algorithm caterpillar -o exchange.json --timeline usual.svg
for view in lanes columns receive-columns both dependences; do
    accepts report exchange.json --view "$view" -o "$view.svg"
    contains "$view.svg" '<svg' 'caterpillar' '</svg>'
done
cmp -s usual.svg columns.svg || complain "a total exchange is not drawn in columns"
accepts plan broadcast "$gusto" --bytes 1MB --algorithm ecef -o broadcast.json --timeline usual.svg
accepts report broadcast.json --view lanes -o lanes.svg
cmp -s usual.svg lanes.svg || complain "a broadcast is not drawn in lanes"
contains columns.svg 'class="critical-path"' 'class="idle"' 'AMES to ANL'

# Pages and traces of any collective, also between ranks, and on networks with a unit of their own.
accepts report exchange.json -o page.html --view both
holds 'a report says what it wrote' \
    grep -qx 'page.html: 20 transfers between 5 nodes, a page that opens with both' "$out"
contains page.html '<canvas' '"view":"both"' "default-src 'none'"
accepts plan broadcast "$root/examples/table4/network.json" --bytes 1MB --ranks --algorithm ecef \
    -o ranks.json --timeline ranks.html
accepts plan broadcast "$networks/sender.json" --timeline sender.html
contains sender.html '"unit":"'
accepts report ranks.json -o ranks-trace.json
accepts report exchange.json -o trace.json
python3 - trace.json ranks-trace.json <<'PYTHON' || complain "a trace is not as its viewers want it"
import json, sys
for name in sys.argv[1:]:
    trace = json.load(open(name))
    open_until, starts, ends, last = {}, {}, {}, {}
    for event in trace["traceEvents"]:
        track = (event["pid"], event["tid"])
        if event["ph"] == "X":
            assert event["ts"] >= 0 and event["dur"] >= 0, event
            assert round(event["ts"] * 1000) >= last.get(track, 0), event
            last[track] = round((event["ts"] + event["dur"]) * 1000)
        elif event["ph"] in "sf":
            (starts if event["ph"] == "s" else ends)[event["id"]] = event["ts"]
    assert starts and starts.keys() == ends.keys()
    assert all(starts[id] <= ends[id] for id in starts)
PYTHON

# A schedule without times is simulated; one with times is drawn as it says, or simulated elsewhere.
python3 - exchange.json bare.json <<'PYTHON'
import json, sys
schedule = json.load(open(sys.argv[1]))
for transfer in schedule["transfers"]:
    del transfer["start"], transfer["end"]
json.dump(schedule, open(sys.argv[2], "w"))
PYTHON
rejects 2 'bare[.]json: transfers: they have no times' report bare.json -o bare.svg
accepts report bare.json --network "$gusto" -o bare.svg
cmp -s bare.svg columns.svg || complain "simulated anew, the plan looks otherwise"

# What can't be drawn.
rejects 2 '-[-]timeline: out[.]png' plan alltoall "$gusto" --bytes 1MB --timeline out.png
rejects 2 '-o: out[.]png' report exchange.json -o out.png
rejects 2 "-[-]view: 'rows' is none of lanes, columns" report exchange.json --view rows -o out.svg
rejects 2 '-[-]view: nothing is drawn' plan alltoall "$gusto" --bytes 1MB --view both
rejects 2 '-[-]view: trace[.]json: a trace holds no view' report exchange.json --view both -o trace.json
printf '{"format":"espalier-run","version":1}' >run.json
rejects 2 'run.json: mpi: is missing' report run.json
rejects 2 'run.json: mpi: is missing' report run.json -o out.html
rejects 2 '-o: needed' report exchange.json
rejects 2 'nowhere[.]json' report nowhere.json -o out.html
rejects 2 'no/such/folder' report exchange.json -o no/such/folder/out.html

# Edges are the paler the more there are, so that messages stand out among them.
paleness() { grep -o 'class="edges"[^>]*stroke-opacity="[0-9.]*"' "$1" | grep -o '[0-9.]*"$' | tr -d '"'; }
for nodes in 5 40; do
    accepts generate gusto --nodes $nodes -o "$work/some.json"
    accepts plan alltoall "$work/some.json" --bytes 1kB --algorithm caterpillar --view dependences --timeline "$work/some-$nodes.svg"
done
holds 'few edges are clear' test "$(paleness "$work/some-5.svg")" = 1
holds 'many are pale' test "$(paleness "$work/some-40.svg")" = 0.15

finish
