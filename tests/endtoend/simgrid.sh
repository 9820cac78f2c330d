# Platforms of SimGrid: read as SimGrid itself does, written and read again, refused in one line.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
[[ -x $(dirname "$cli")/espalier-simgrid-platform ]] || skip "no SimGrid"
cd "$work" || exit 1

header='<?xml version="1.0"?><!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">'

# Two zones: a cluster of three hosts with a backbone, and two hosts by hand; a fat pipe between.
cat >zones.xml <<XML
$header
<platform version="4.1">
<zone id="world" routing="Full">
  <cluster id="left" prefix="l" suffix="" radical="0-2" speed="2f" core="4" bw="100Bps" lat="1s"
           bb_bw="150Bps" bb_lat="0.5s" router_id="lr"/>
  <zone id="right" routing="Full">
    <host id="p" speed="1f"/><host id="q" speed="4f"/>
    <link id="pq" bandwidth="10Bps" latency="2s"/>
    <route src="p" dst="q"><link_ctn id="pq"/></route>
  </zone>
  <link id="wan" bandwidth="5Bps" latency="3s" sharing_policy="FATPIPE"/>
  <zoneRoute src="left" dst="right" gw_src="lr" gw_dst="p"><link_ctn id="wan"/></zoneRoute>
</zone>
</platform>
XML
accepts convert zones.xml -o zones.json
json_holds 'hosts and their cycle times' \
    '{n["name"]: n["cycle_time"] for n in d["nodes"]} == {"l0": .5, "l1": .5, "l2": .5, "p": 1, "q": .25}' zones.json
json_holds 'routes of both zones and between them' \
    'len(d["routes"]) == 20 and {r["from"] + " " + r["to"]: " ".join(r["links"]) for r in d["routes"]
      if r["from"] in ("l0", "q") and r["to"] in ("l1", "q")} == {
      "l0 l1": "left_link_0_UP left_backbone left_link_1_DOWN",
      "l0 q": "left_link_0_UP left_backbone wan pq", "q l1": "pq wan left_backbone left_link_1_DOWN"}' zones.json
json_holds 'kinds of links' \
    '{l["name"]: l["kind"] for l in d["links"]}["wan"] == "backbone" and all("from" not in l for l in d["links"])' zones.json
accepts ring zones.json --work 100 --exchange 1 --time-limit 1s
accepts convert zones.xml --hosts 'l*,q' -o some.json
json_holds 'hosts that fit a pattern' '[n["name"] for n in d["nodes"]] == ["l0", "l1", "l2", "q"]' some.json

# What is written comes back: the same routes, bandwidths and latencies.
accepts generate tiers --hosts 6 --seed 3 --latencies -o tiers.json
accepts convert tiers.json --to pairwise -o before.json
accepts convert tiers.json --to simgrid --hostfile hosts -o tiers.xml
holds 'a line for each host' test "$(wc -l <hosts)" = 6
accepts convert tiers.xml --to pairwise -o after.json
holds 'written and read again' python3 - <<'CHECK'
import json
before, after = (json.load(open(name + ".json")) for name in ("before", "after"))
names = [node["name"] for node in before["nodes"]]
place = [[node["name"] for node in after["nodes"]].index(name) for name in names]
for i in range(6):
    for j in range(6):
        for field in ("startup_s", "bandwidth_Bps"):
            was, now = before[field][i][j], after[field][place[i]][place[j]]
            assert i == j or abs(now / was - 1) < 1e-6, (field, i, j, was, now)
CHECK

# What SimGrid does not take, or we do not, is told in one line.
echo "$header<platform version='4.1'><zone id='a' routing='Full'><host id='x'/></zone>" >cut.xml
rejects 2 'cut.xml: line ' convert cut.xml -o net.json
printf '%s\n' "$header" '<platform version="4.1"><zone id="a" routing="Full"><host id="x" speed="1fq"/></zone></platform>' >unit.xml
rejects 2 'unit.xml: line 2: .*fq' convert unit.xml -o net.json
printf '%s\n' "$header" '<platform version="4.1"><zone id="a" routing="Full"><host id="x" speed="1f"/><host id="y" speed="1f"/></zone></platform>' >apart.xml
rejects 2 "apart.xml: SimGrid finds no route from 'x' to 'y'" convert apart.xml -o net.json
printf '%s\n' "$header" '<platform version="4.1"><zone id="a" routing="Full"/></platform>' >empty.xml
rejects 2 'empty.xml: ' convert empty.xml -o net.json
rejects 2 '\-\-hosts' convert zones.xml --hosts 'z*' -o net.json
rejects 2 '\-\-hosts' convert zones.json --hosts 'l*' -o net.json
rejects 2 '\-\-speed' convert zones.xml --speed 1Gbps -o net.json

finish
