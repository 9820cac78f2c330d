# Platforms of links: made, read from GraphML, made of what messages cost; refused in one line.
source "$(dirname "${BASH_SOURCE[0]}")/lib.bash"
cd "$work" || exit 1

# Exactly the counts asked for, alike for one seed.
accepts generate tiers --seed 4 -o tiers.json
json_holds 'the smaller platform' \
    '[sum("cycle_time" in n for n in d["nodes"]), len(d["nodes"]), len(d["links"])] == [37, 84, 91]' tiers.json
accepts generate tiers --seed 4 -o again.json
holds 'one seed makes one platform' cmp -s tiers.json again.json
accepts generate tiers --hosts 70 --routers 103 --links 182 -o large.json
json_holds 'the larger platform' \
    '[sum("cycle_time" in n for n in d["nodes"]), len(d["nodes"]), len(d["links"])] == [70, 173, 182]' large.json
accepts generate tiers --hosts 6 --cycle-times 2 --bandwidth-factor 125000 --latencies --json
json_holds 'cycle times as they were asked for' \
    '{n["cycle_time"] for n in d["nodes"] if "cycle_time" in n} == {2}'
json_holds 'bytes per second, and latencies' \
    'all(l["bandwidth"] > 2e5 and 0 < l["latency"] < 0.1 for l in d["links"])'
rejects 2 'links: 84 nodes need at least 83 links' generate tiers --links 82
rejects 2 'cycle times: ' generate tiers --cycle-times 0..1
rejects 2 '\-\-nodes: it is for generate' generate tiers --nodes 4
rejects 2 '\-\-hosts: it is for generate tiers' generate sender --hosts 4

# The Internet Topology Zoo's attributes; line 9 is the first edge.
cat >zoo.graphml <<'XML'
<?xml version="1.0" encoding="utf-8"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key attr.name="LinkSpeedRaw" attr.type="double" for="edge" id="raw"/>
<key attr.name="label" attr.type="string" for="node" id="label"/>
<key attr.name="Internal" attr.type="int" for="node" id="in"/>
<graph edgedefault="undirected">
<node id="0"><data key="label">Paris</data></node>
<node id="1"><data key="label">Paris</data></node>
<node id="2"><data key="label">Elsewhere</data><data key="in">0</data></node>
<edge source="0" target="1"><data key="raw">8000000</data></edge>
<edge source="1" target="2"/>
</graph></graphml>
XML
accepts convert zoo.graphml -o zoo.json
json_holds 'labels are made unique' '[n["name"] for n in d["nodes"]] == ["Paris", "Paris#2", "Elsewhere"]' zoo.json
json_holds 'external nodes are routers' '[n.get("cycle_time") for n in d["nodes"]] == [1, 1, None]' zoo.json
json_holds 'speeds in bytes per second' '[l["bandwidth"] for l in d["links"]] == [1e6, 1.25e9]' zoo.json
holds 'what was taken is said' grep -q 'zoo.graphml: 1 of 2 links state no speed: 10 Gbit/s each' "$err"
json_holds 'and kept' 'd["measured"]["source"] == "zoo.graphml" and len(d["measured"]["warnings"]) == 2' zoo.json
accepts convert zoo.graphml --speed 1MB/s --latency 2ms --cycle-time 3 --to pairwise
json_holds 'its own numbers' \
    'd["nodes"][0]["cycle_time"] == 3 and d["bandwidth_Bps"][0][1] == 1e6 and d["startup_s"][0][1] == 0.002'
accepts convert zoo.graphml --cycle-time none -o routers.json
rejects 2 'routers.json: nodes: no host' convert routers.json --to pairwise
rejects 2 '\-\-cycle-time: 0 is not positive' convert zoo.graphml --cycle-time 0
rejects 2 '\-\-speed: ' convert zoo.graphml --speed 10
rejects 2 '\-\-unit: ' convert zoo.graphml --unit ms
rejects 2 '\-\-speed: zoo.json is no GraphML' convert zoo.json --speed 10Gbps
rejects 2 '\-\-cycle-time: ' convert zoo.json --cycle-time 2
rejects 2 'zoo.graphml: XML' partition zoo.graphml
sed '9s/target="1"/target="7"/' zoo.graphml >unknown.graphml
rejects 2 "unknown.graphml: line 9: target: no node has the id '7'" convert unknown.graphml
sed '9s/8000000/quick/' zoo.graphml >number.graphml
rejects 2 "number.graphml: line 9: LinkSpeedRaw: 'quick' is not a number" convert number.graphml
sed '7s/id="1"/id="0"/' zoo.graphml >twice.graphml
rejects 2 "twice.graphml: line 7: the id '0' is used twice" convert twice.graphml
head -7 zoo.graphml >cut.graphml
rejects 2 'cut.graphml: line ' convert cut.graphml
printf '<html/>\n' >page.xml
rejects 2 'page.xml: line 1: <html>' convert page.xml

# Of what messages cost: nodes are hosts where their cycle times are known.
sed '/startup_s/s/null/0.04/; /bandwidth_Bps/s/null/30000/' "$networks/pairwise.json" >complete.json
accepts convert complete.json --to links
holds 'routers are told of' grep -q '4 of 4 nodes are not known.*measure --compute' "$err"
json_holds 'caps are links without ends' \
    '[l["name"] for l in d["links"] if "from" not in l][:2] == ["AMES egress", "ANL egress"]'
accepts convert complete.json --to links --cycle-time 2 -o complete_links.json
holds 'nobody is a router' test ! -s "$err"
json_holds 'a route for each ordered pair' 'len(d["routes"]) == 12' complete_links.json
accepts convert complete_links.json --to pairwise
json_holds 'and back' 'd["startup_s"][0][1] == 0.0345 and d["nodes"][3]["cycle_time"] == 2'
rejects 2 'the cost from .* is not known' convert "$networks/pairwise.json" --to links
accepts convert "$networks/sites.json" --to links --bytes 64KiB --cycle-time 1
json_holds 'every node of every cluster' 'len(d["nodes"]) == 8 and len(d["routes"]) == 56'
rejects 2 '\-\-bytes: needed' convert "$networks/sites.json" --to links
rejects 2 'a sender network does not say enough' convert "$networks/sender.json" --to links

# Listed routes: one for each ordered pair of hosts, or none.
python3 - <<'PYTHON'
import json
d = json.load(open("complete_links.json"))
del d["routes"][5]
json.dump(d, open("one_way.json", "w"))
d["links"][0]["bandwidth"] = 0
json.dump(d, open("zero.json", "w"))
PYTHON
rejects 2 "one_way.json: routes: there is none from 'ANL' to 'USC'" convert one_way.json
rejects 2 'zero.json: links\[0\].bandwidth: 0 ' convert zero.json

finish
