# A network as people look at it: the table, the picture, the page, of each model.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1

# says LINE...: the last output has each of these lines.
says() {
    local line
    for line in "$@"; do
        grep -qxF -- "$line" "$out" || complain "no line '$line'"
    done
}

accepts network "$networks/grid.json"
says 'grid of 2 clusters, 22 nodes' '  1  orsay         2                   47                   932                      -' \
    '  orsay-uplink    75.2   9.4  orsay to toulouse' 'Messages share evenly.' 'Predictions may be off by 25%.'
accepts network "$networks/sites.json"
says 'grid of 4 clusters, 8 nodes' '  2  old      south      3                   50                   752                           -' 'Made 2026-11-21T00:00:00Z by hand.'
accepts network "$networks/cluster.json"
says 'grid of 1 cluster, 9 nodes'
holds 'one cluster has no matrices' bash -c "! grep -q 'row to column' '$out'"
accepts network "$networks/pairwise.json"
says 'pairwise of 4 nodes' \
    '  - latencies or rates of 1 of the 12 ordered pairs of nodes: AMES to USC'
accepts network "$networks/links.json"
says 'links of 2 hosts, 1 router' "Times and rates are in the file's own units."
accepts network "$networks/sender.json"
says 'sender of 2 nodes' '  1  a                      10'
accepts network "$networks/classes.json"
says 'sender of 2 classes, 500002 nodes'
accepts network "$root/examples/table4/measured.json"
says 'grid of 6 clusters, 88 nodes' \
    'Not known; measure for longer: --budget was 10 s:' \
    '  - the budget left no time for 24 of the 29 rounds that tell what links share'
accepts network "$root/examples/table4/latency_us.csv"
says 'pairwise of 6 nodes'
printf 'from,to,latency_s,bandwidth_Bps\n' >rows.csv
accepts directory add lab.db --from a --to b --latency 10ms --bandwidth 1MB/s
accepts network lab.db
says 'pairwise of 2 nodes'
holds 'it says where it is from' grep -q 'by espalier directory from lab.db' "$out"

# As JSON.
accepts network "$networks/grid.json" --json
json_holds 'the same as JSON' 'd["format"] == "espalier-overview" and d["version"] == 1 and d["model"] == "grid" and [g["name"] for g in d["groups"]] == ["orsay", "toulouse"] and d["latency_s"][0][1] == 0.0052 and d["shared"][0]["from"] == ["orsay"] and d["not_known"] == []'

# Pictures and pages, of each model; a picture is XML, a page has no script.
for network in "$networks"/{grid,sites,cluster,pairwise,links,sender,classes}.json lab.db; do
    name=$(basename "$network" .json)
    accepts network "$network" -o "$name.svg"
    holds "it says what $name.svg is" grep -q "^$name.svg: " "$out"
    python3 -c 'import sys, xml.dom.minidom as x; x.parse(sys.argv[1])' "$name.svg" || complain "$name.svg is not XML"
    accepts report "$network" -o "$name-report.svg"
    # What a directory says is of this second.
    [[ $network == *.db ]] || holds "report draws $name likewise" cmp -s "$name.svg" "$name-report.svg"
    accepts network "$network" -o "$name.html"
    holds "$name.html stands for itself" bash -c "grep -q '<svg' $name.html && grep -q \"default-src 'none'\" $name.html && ! grep -q '<script' $name.html && ! grep -Eq '(src|href)=' $name.html"
done

# However many there are.
accepts generate grid --clusters 60 --seed 1 -o many.json
accepts network many.json
holds 'no line is too long' bash -c "! grep -v '^  - ' '$out' | grep -qE '.{150}'"
accepts network many.json -o many.svg
holds 'what was left out is said' grep -q '20 of 60 clusters are left out' many.svg
python3 - <<'PYTHON'
import json
n = 1000
row = [1e-3] * n
json.dump({"format": "espalier-network", "version": 1, "model": "pairwise", "nodes": [{"name": "n%d" % i} for i in range(n)],
           "startup_s": [row] * n, "bandwidth_Bps": [[1e6] * n] * n}, open("thousand.json", "w"))
PYTHON
accepts network thousand.json
says '940 of 1000 nodes are left out.'
accepts network thousand.json -o thousand.html
holds 'a page of a thousand nodes is small' bash -c "((\$(stat -c %s thousand.html) < 2000000))"

# What can't be shown.
rejects 2 'nowhere[.]json' network nowhere.json
rejects 2 '-o: out[.]png: a network is drawn as .svg or .html' network "$networks/grid.json" -o out.png
rejects 2 'no/such/folder' network "$networks/grid.json" -o no/such/folder/out.svg
rejects 2 '-[-]unit' network "$networks/grid.json" --unit ms
rejects 2 '-[-]at' network "$networks/grid.json" --at now
rejects 2 'espalier convert makes a network' network "$root/examples/table4/platform.xml"
printf '{"format":"espalier-network","version":1,"model":"grid"}' >broken.json
rejects 2 'broken[.]json: .*is missing' network broken.json
rejects 2 'broken[.]json: .*is missing' report broken.json -o out.svg
printf '{"format":"espalier-network","version":1,"model":"links","nodes":[{"name":"a","cycle_time":1},{"name":"b","cycle_time":1}],"links":[]}' >apart.json
rejects 2 'apart|a.*b' network apart.json
rejects 2 '-[-]view' report "$networks/grid.json" --view lanes -o out.svg
rejects 2 '-[-]network' report "$networks/grid.json" --network "$networks/grid.json" -o out.svg

finish
