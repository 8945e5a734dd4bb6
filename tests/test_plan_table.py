"""The table, whole."""

from __future__ import annotations

from nvcre_render.planning import table
from tests.plans import RACK, fleet, node, planned, racked

NODES = [
    *fleet("gpu-1", "gpu-2", "gpu-3", "gpu-4", "gpu-5"),
    node("gb-1", product="NVIDIA-GB200"),
    node("cpu-1", product=None, present=""),
]

SIMPLE = """\
run: 3 Jobs of 2 nodes each, on 5 eligible nodes

  numNodes is the group size, not a total: each Job takes 2 nodes.
  5 eligible nodes / 2 a group = 2 full groups, 1 node left over.
  It joins 1 overflow group, filled up with nodes that also belong to another group.
  For a single Job on all of them write numNodes: 5.
  Platform onprem, GPU architecture h100 (NVIDIA-H100-80GB-HBM3), 8 GPUs a pod.
  2 of 3 Jobs start at once, the others when their nodes are free.

GROUP             JOB                          START          NODES
group-0           run-group-0-iter-1           at once        gpu-1 gpu-2
group-1           run-group-1-iter-1           at once        gpu-3 gpu-4
group-2-overflow  run-group-2-overflow-iter-1  after group-1  gpu-4* gpu-5
* borrowed: the node also belongs to another group
Each Job runs one TrainJob: run-group-0-iter-1-workload and so on.

Left out: 2 of the 7 nodes of the list
  another GPU architecture than h100, the one kept:
    gb-1
  the label nvidia.com/gpu.present is not "true":
    cpu-1
"""


def test_groups_and_those_left_out() -> None:
    assert table.text(planned(2, NODES)) == SIMPLE


def test_domains_have_a_column_and_long_lists_go_on_below() -> None:
    nodes = racked(**{f"r{rack}": " ".join(f"n{rack}{place}" for place in range(9)) for rack in range(2)})
    lines = table.text(planned(18, nodes, topology={"topologyKey": RACK}), width=70).splitlines()
    assert "GROUP    JOB      START    DOMAINS  NODES" in lines
    start = lines.index("GROUP    JOB      START    DOMAINS  NODES")
    assert lines[start + 1 : start + 4] == [
        "group-0  run-job  at once  r0,r1    n00 n01 n02 n03 n04 n05 n06 n07",
        "                                    n08 n10 n11 n12 n13 n14 n15 n16",
        "                                    n17 n18",
    ]
    assert "The Job runs the TrainJob run-job-workload." in lines
    assert lines[-1] == "No node is left out: all 18 of the list are eligible."


def test_unpinned_has_no_nodes_to_list() -> None:
    assert "group-0  run-job  at once  any 3 of the eligible nodes" in table.text(planned(3, placement="Unpinned"))


def test_no_line_ends_in_spaces() -> None:
    assert all(line == line.rstrip() for line in table.text(planned(3)).split("\n"))
