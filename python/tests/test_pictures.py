"""Pictures are XML, and say what they show."""

import xml.etree.ElementTree as tree

import pytest

import espalier
from conftest import EXAMPLES, ROOT

SVG = "{http://www.w3.org/2000/svg}svg"


def texts(svg):
    root = tree.fromstring(svg)
    assert root.tag == SVG
    return " ".join("".join(element.itertext()) for element in root.iter())


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: file.parent.name)
def test_a_network_shows_itself(file):
    network = espalier.Network.read(file)
    assert texts(network._repr_svg_())
    figure = tree.fromstring(network._repr_html_())
    assert figure.tag == "figure" and network.model in figure[0].text
    assert network.html().startswith("<!DOCTYPE html>")


def test_a_plan_shows_itself_in_every_view(three):
    plan = espalier.plan(three, "alltoall", bytes=1000)
    shown = {view: plan.svg(view) for view in ("lanes", "columns", "receive-columns", "both", "dependences")}
    assert len(set(shown.values())) == 5
    for svg in shown.values():
        assert all(name in texts(svg) for name in plan.nodes)
    assert plan._repr_svg_() == shown["columns"]
    assert "makespan" in tree.fromstring(plan._repr_html_())[0].text
    assert "<html" in plan.html()
    with pytest.raises(espalier.InputError, match="is no view"):
        plan.svg("circles")


def test_a_plan_that_is_read_shows_itself_alike(three, tmp_path):
    plan = espalier.plan(three, "broadcast", "ecef", bytes=1000)
    plan.write(tmp_path / "plan.json")
    again = espalier.Plan.read(tmp_path / "plan.json")
    assert again.makespan == plan.makespan and again.to_dict() == plan.to_dict()
    assert texts(again._repr_svg_())


def test_names_are_text_in_a_picture():
    network = espalier.Network.sender([1, 2], nodes=["<a>", "b & c"], time_unit="<h>")
    for value in (network, espalier.plan(network, "broadcast")):
        figure = tree.fromstring(value._repr_html_())
        assert "<a>" in " ".join(figure.itertext())
    assert "<h>" in figure[0].text


def test_a_ring_shows_itself():
    ring = espalier.ring(espalier.Network.read(ROOT / "examples/ring-toy/network.json"), 100, 2, time_limit=0.2)
    shown = texts(ring._repr_svg_())
    assert all(host in shown for host in ring.hosts)
    assert tree.fromstring(ring._repr_html_()).tag == "figure"
    assert ring.shares.sum() == pytest.approx(1) and len(ring.paths) == 2 * len(ring)
    assert ring.link_use["part"].max() <= 1 + 1e-9


def test_texts_say_what_it_is(three):
    plan = espalier.plan(three, "broadcast", bytes=1000)
    assert "Broadcast of 1 kB from a" in str(plan) and "Broadcast of 1 kB from a" in repr(plan)
    assert "pairwise" in repr(three) and "pairwise" in str(three)
    table = tree.fromstring(espalier.compare(three, "broadcast", bytes=8, time_limit=1)._repr_html_())
    assert table.tag == "table"
