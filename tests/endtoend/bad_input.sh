# Bad input ends with status 2, one line that names file and field, and nothing written.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"

grid=$networks/grid.json
cd "$work" || exit 1

# broken NAME PYTHON-STATEMENT: a copy of the grid, changed.
broken() {
    python3 - "$grid" "$1" "$2" <<'PYTHON'
import json, sys
d = json.load(open(sys.argv[1]))
exec(sys.argv[3])
json.dump(d, open(sys.argv[2], "w"))
PYTHON
}

# rejects_network PATTERN FILE: by every command that reads networks.
rejects_network() {
    rejects 2 "$2: .*$1" plan broadcast "$2" --bytes 64KiB -o schedule.json
    rejects 2 "$2: .*$1" compare broadcast "$2" --bytes 64KiB
    rejects 2 "$2: .*$1" partition "$2" -o clusters.json
    rejects 2 "$2: .*$1" network "$2" -o network.svg
    rejects 2 "$2: .*$1" convert "$2" -o network.json
    rejects 2 "$2: .*$1" check "$networks/grid.json" --network "$2"
}

head -c 200 "$grid" >truncated.json
rejects_network 'line [0-9]+: not JSON' truncated.json
: >empty.json
rejects_network 'empty' empty.json
rejects_network 'No such file' missing.json
mkdir folder.json
rejects_network 'folder' folder.json
broken format.json 'd["format"] = "espalier-netwrok"'
rejects_network 'format: ' format.json
broken version.json 'd["version"] = 2'
rejects_network 'version: ' version.json
broken model.json 'd["model"] = "gird"'
rejects_network 'model: ' model.json
broken misspelt.json 'd["latencies"] = d.pop("latency_s")'
rejects_network 'latenc' misspelt.json
broken unknown.json 'd["clusters"][0]["colour"] = "red"'
rejects_network 'clusters\[0\]\.colour: unknown field' unknown.json
broken missing_field.json 'del d["gap_s"]'
rejects_network 'gap_s: is missing' missing_field.json
broken shape.json 'd["latency_s"][1] = [0.0052]'
rejects_network 'latency_s\[1\]: 2 entries were expected, not 1' shape.json
broken rows.json 'd["gap_s"].append([0, 0])'
rejects_network 'gap_s: 2 entries were expected, not 3' rows.json
broken negative.json 'd["latency_s"][0][1] = -0.1'
rejects_network 'latency_s\[0\]\[1\]: .*negative' negative.json
broken nan.json 'd["latency_s"][0][1] = float("nan")'
rejects_network 'not JSON' nan.json
sed 's/0.0052/1e999/' "$grid" >infinite.json
rejects_network 'number' infinite.json
broken text.json 'd["latency_s"][0][1] = "fast"'
rejects_network 'latency_s\[0\]\[1\]: a number was expected' text.json
broken duplicate.json 'd["clusters"][1]["name"] = "orsay"; del d["shared"]'
rejects_network "clusters\[1\](.name)?: the name 'orsay' is used twice" duplicate.json
broken duplicate_node.json 'd["clusters"][0]["nodes"] = ["o-1", "o-1"]'
rejects_network "clusters\[0\]\.nodes: the name 'o-1' is used twice" duplicate_node.json
sed 's/"version":1/"version":1,"version":1/' "$grid" >twice.json
rejects_network 'version: stands twice' twice.json
broken capacity.json 'd["shared"][0]["capacity_Bps"] = 0'
rejects_network 'shared\[0\]\.capacity_Bps: ' capacity.json
broken shared_name.json 'd["shared"][0]["pairs"] = [["orsay", "paris"]]'
rejects_network "shared\[0\]\.pairs\[0\]\[1\]: no cluster is named 'paris'" shared_name.json
broken nothing_inside.json 'del d["clusters"][1]["broadcast_s"]'
rejects_network 'clusters\[1\]: ' nothing_inside.json
sed 's/64000/0/' "$networks/pairwise.json" >zero_bandwidth.json
rejects_network 'bandwidth_Bps\[0\]\[1\]: ' zero_bandwidth.json
sed 's/"kind":"backbone"/"kind":"wire"/' "$networks/links.json" >kind.json
rejects_network 'links\[1\]\.kind: ' kind.json
sed 's/"transmission_time":10/"transmission_time":0/' "$networks/sender.json" >zero_time.json
rejects_network 'nodes\[0\]\.transmission_time: ' zero_time.json

# Matrices.
printf ',a,b,c\na,0,1,2\nb,1,0,2\n' >rows.csv
rejects 2 'rows.csv: ' partition rows.csv
printf ',a,b\na,0,1\nb,1\n' >short.csv
rejects 2 'short.csv: ' partition short.csv
printf ',a,b\na,0,1\nc,1,0\n' >names.csv
rejects 2 'names.csv: ' partition names.csv
printf ',a,a\na,0,1\na,1,0\n' >twice.csv
rejects 2 'twice.csv: ' partition twice.csv
printf ',a,b\na,0,-1\nb,1,0\n' >negative.csv
rejects 2 'negative.csv: .*line 2' partition negative.csv
printf ',a,b\na,0,nan\nb,1,0\n' >nan.csv
rejects 2 'nan.csv: .*line 2' partition nan.csv
: >empty.csv
rejects 2 'empty.csv' partition empty.csv
rejects 2 'no.csv: No such file' partition no.csv -o clusters.json
printf '<platform version="4.1"/>' >platform.xml
rejects 2 'platform.xml: ' convert platform.xml -o network.json
rejects 2 'platform.xml: ' partition platform.xml
rejects 2 '\-\-unit: ' partition "$grid" --unit ms
printf ',a,b\na,0,1\nb,1,0\n' >good.csv
rejects 2 '\-\-unit: ' partition good.csv --unit parsec
rejects 2 '\-\-tolerance: ' partition good.csv --tolerance wide
rejects 2 '\-\-tolerance: ' partition good.csv --tolerance -0.1
rejects 2 '\-\-tolerance: ' partition good.csv --tolerance nan
rejects 2 '\-\-method: ' partition good.csv --method guess
rejects 2 '\-\-metric: ' partition good.csv --metric taste
rejects 2 'model: ' partition "$networks/sender.json"

# What is asked for.
ask=(plan broadcast "$grid")
rejects 2 "\-\-root: .*grid.json has no cluster or node named 'paris'" "${ask[@]}" --bytes 1KiB --root paris
rejects 2 "\-\-algorithm: 'magic' is none of auto, flat" "${ask[@]}" --bytes 1KiB --algorithm magic -o s.json
rejects 2 "\-\-local: 'magic' is none of auto, flat" "${ask[@]}" --bytes 1KiB --local magic
rejects 2 '\-\-bytes: needed' "${ask[@]}"
rejects 2 "\-\-bytes: '1.5' is not a size" "${ask[@]}" --bytes 1.5
rejects 2 "\-\-bytes: '-4' is not a size" "${ask[@]}" --bytes -4
rejects 2 '\-\-segment: ' "${ask[@]}" --bytes 1KiB --segment some
rejects 2 '\-\-segment: ' "${ask[@]}" --bytes 1KiB --segment 0
rejects 2 "\-\-time-limit: " "${ask[@]}" --bytes 1KiB --time-limit soon
rejects 2 '\-\-timeline: .*\.svg' "${ask[@]}" --bytes 1KiB --timeline t.png
rejects 2 'broadcast_s: --ranks ' "${ask[@]}" --bytes 1KiB --algorithm flat --ranks
rejects 2 'sender.json: model: .*grid' plan gather "$networks/sender.json" --bytes 1
rejects 2 "pairwise.json: .*'AMES' to 'USC'" plan broadcast "$networks/pairwise.json" --bytes 1KiB --algorithm flat
rejects 2 'broadcats: ' plan broadcats "$grid"
rejects 2 '\-\-sizes: only for alltoall' "${ask[@]}" --sizes sizes.csv
rejects 2 'COLLECTIVE' plan
rejects 2 'NETWORK' plan broadcast
rejects 2 'another: one word too many' plan broadcast "$grid" --bytes 1 another
rejects 2 '\-\-what' plan broadcast "$grid" --bytes 1 --what 3
rejects 2 '\-\-bytes' plan broadcast "$grid" --bytes
rejects 2 'plant: no command' plant
rejects 2 'no command'
rejects 2 'verbose: espalier has no such option' --verbose
rejects 2 'torus' generate torus
rejects 2 '\-\-clusters' generate grid --clusters 0
rejects 2 '\-\-latency' generate grid --latency quick
rejects 2 'latency' generate grid --latency 2ms..1ms
rejects 2 '\-\-sizes' generate grid --expand good.csv
rejects 2 'good.csv|sizes' generate grid --expand good.csv --sizes 1,2,3
rejects 2 '\-\-to' convert "$grid" --to cloud
rejects 2 '\-\-bytes: needed' convert "$grid" --to pairwise
rejects 2 'sender.json: model: ' convert "$networks/sender.json" --to grid

# Outputs that can't be written: found out before the work, and nothing is left.
rejects 2 'nowhere/s.json: No such file' "${ask[@]}" --bytes 1KiB --algorithm flat -o nowhere/s.json
rejects 2 'folder.json: is a folder' "${ask[@]}" --bytes 1KiB --algorithm flat -o folder.json
rejects 2 'nowhere/t.svg: No such file' "${ask[@]}" --bytes 1KiB --algorithm flat -o s.json --timeline nowhere/t.svg
rejects 2 'good.csv/s.json: Not a directory' "${ask[@]}" --bytes 1KiB --algorithm flat -o good.csv/s.json
rejects 2 'nowhere/c.json' compare broadcast "$grid" --bytes 1KiB -o nowhere/c.json
rejects 2 'nowhere/c.json' partition good.csv -o nowhere/c.json
rejects 2 'nowhere/n.json' convert "$grid" -o nowhere/n.json
rejects 2 'nowhere/n.json' generate grid -o nowhere/n.json
if [[ -w /dev/full ]]; then
    "$cli" algorithms >/dev/full 2>"$err"
    status=$?
    : >"$out"
    holds 'a full device is noticed' [ "$status" = 2 ]
    holds 'a full device is named' grep -q '^espalier: standard output: ' "$err"
fi

# What others write stays as it is when a command fails.
echo kept >kept.json
rejects 2 'bytes: ' plan broadcast "$networks/sender.json" --bytes 1 -o kept.json
holds 'a file survives a failure' [ "$(cat kept.json)" = kept ]

finish
