"""The page: what goes into it, and what a browser makes of it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from nvcre_render.planning import page, planner
from nvcre_render.planning.result import Plan
from tests.plans import RACK, Json, node, planned, racked, workflow

EVIL = "</script><script>document.title='broken'</script><!--&"


def drawn() -> Plan:
    """Return a plan with two racks, borrowed nodes and one of each that is left out."""
    nodes = [
        *racked(r1="a1 a2 a3", r2="b1 b2"),
        node("off", spec={"unschedulable": True}, rack="r1"),
        node("small", gpus="1", rack="r2"),
        node("bare", product="NVIDIA-GB200"),
    ]
    return planned(2, nodes, topology={"topologyKey": RACK})


def data(plan: Plan) -> Json:
    (text,) = re.findall(r'<script type="application/json" id="plan">(.*?)</script>', page.html(plan), re.DOTALL)
    found: Json = json.loads(text)
    return found


def test_the_fleet_is_drawn_by_domain() -> None:
    found = data(drawn())
    assert found["domainKey"] == RACK
    assert found["domains"] == [
        {"name": "r1", "nodes": [["a1", [0, 2], -1], ["a2", [0], -1], ["a3", [2], -1], ["off", [], 0]]},
        {"name": "r2", "nodes": [["b1", [1], -1], ["b2", [1], -1], ["small", [], 2]]},
        {"name": "", "nodes": [["bare", [], 1]]},
    ]
    assert [each["nodes"] for each in found["reasons"]] == [["off"], ["bare"], ["small"]]


def test_each_group_has_its_manifests() -> None:
    found = data(drawn())
    assert [(group["name"], group["start"], group["overflow"]) for group in found["groups"]] == [
        ("group-0", "at once", False),
        ("group-1", "at once", False),
        ("group-2-overflow", "after group-0", True),
    ]
    titles = [[title for title, _ in group["manifests"]] for group in found["groups"]]
    assert titles[1] == [
        "TrainJob run-group-1-iter-1-workload",
        "Job run-group-1-iter-1",
        "TrainingRuntime run-runtime-2acd4-group-1-iter-1",
    ]


@pytest.mark.parametrize(
    ("labels", "provider", "key"),
    [
        ({}, "", ""),
        ({"topology.kubernetes.io/zone": "z"}, "", "topology.kubernetes.io/zone"),
        ({"topology.kubernetes.io/zone": "z", "nvidia.com/gpu.clique": "c"}, "", "nvidia.com/gpu.clique"),
        ({"kubernetes.azure.com/ppg": "p", "nvidia.com/gpu.clique": "c"}, "azure://x", "kubernetes.azure.com/ppg"),
    ],
)
def test_without_a_topology_a_usual_label_orders_the_picture(labels: dict[str, str], provider: str, key: str) -> None:
    assert data(planned(1, [node("a", spec={"providerID": provider}, **labels)]))["domainKey"] == key


def test_nothing_a_user_wrote_ends_the_script() -> None:
    made = page.html(planned(1, [node("a", rack=EVIL)], topology={"topologyKey": RACK}))
    assert EVIL not in made
    assert made.count("</script>") == page.html(drawn()).count("</script>") == 2
    assert made.count("<!--") == 0


def test_the_page_asks_nothing_of_the_network() -> None:
    made = page.html(drawn())
    assert "default-src 'none'" in made
    frame = made.replace(json.dumps(data(drawn())), "")
    assert not re.search(r"""(?:src|href)\s*=|url\(|@import|fetch\(|XMLHttpRequest|WebSocket""", frame)


def test_manifests_end_where_a_page_would_not_open_any_more() -> None:
    nodes = [node(f"n{index:03}") for index in range(page.MANIFESTS + 1)]
    found = data(planned(1, nodes))
    assert ["manifests" in group for group in found["groups"]] == [True] * page.MANIFESTS + [False]
    assert str(page.MANIFESTS) in found["withoutManifests"]


# -- in a real browser

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

DRIVER = """<script>
const report = { focused: document.hasFocus() };
const nodes = [...document.querySelectorAll(".node")];
const press = (key) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
const at = () => document.activeElement.getAttribute("aria-label");
const selected = () => [...document.querySelectorAll('[aria-selected="true"]')].map((each) => each.id);
report.title = document.title;
report.headline = document.querySelector("h1").textContent;
report.stops = nodes.filter((each) => each.tabIndex === 0).length;
report.labels = nodes.map((each) => each.getAttribute("aria-label"));
report.colours = nodes.map((each) => getComputedStyle(each).backgroundImage + getComputedStyle(each).backgroundColor);
nodes[0].focus();
report.tip = document.getElementById("tip").textContent;
report.moves = [];
for (const key of ["ArrowRight", "ArrowRight", "ArrowLeft", "End", "Home"]) { press(key); report.moves.push(at()); }
document.activeElement.click();
report.first = selected();
document.activeElement.click();
report.second = selected();
report.inside = nodes.filter((each) => each.classList.contains("in")).map((each) => each.textContent);
report.manifests = [...document.querySelectorAll("summary")].map((each) => each.textContent);
report.text = document.querySelector("pre").textContent;
press("Escape");
report.cleared = selected();
document.getElementById("groups").focus();
press("ArrowDown");
report.list = selected();
report.active = document.activeElement.getAttribute("aria-activedescendant");
press("End");
report.last = selected();
report.out = document.getElementById("reasons").textContent;
report.requests = performance.getEntriesByType("resource").length;
document.body.append(Object.assign(document.createElement("script"), { type: "application/json", id: "report" }));
document.getElementById("report").textContent = JSON.stringify(report).replaceAll("<", "\\\\u003c");
</script>
"""


def browse(made: str, folder: Path) -> dict[str, Any]:
    """Open a page in headless Chromium, drive it by keyboard, and return what was seen."""
    if CHROMIUM is None:
        pytest.skip("there is no Chromium to open the page with")
    file = folder / "plan.html"
    file.write_text(made.replace("</body>", f"{DRIVER}</body>"), encoding="utf-8")
    seen: dict[str, Any] = {}
    # A window without the focus cannot be driven; on a busy machine the first one may not get it in time.
    for attempt in range(5):
        profile, picture = f"--user-data-dir={folder / f'profile-{attempt}'}", f"--screenshot={folder / 'plan.png'}"
        # Only a page that is to be seen has the focus, hence the picture.
        options = ["--headless", "--no-sandbox", "--disable-gpu", profile, "--dump-dom", picture]
        call = [CHROMIUM, *options, file.as_uri()]
        run = subprocess.run(call, capture_output=True, text=True, timeout=120, check=True)
        (text,) = re.findall(r'id="report">(.*?)</script>', run.stdout, re.DOTALL)
        seen = json.loads(text)
        if seen["focused"]:
            break
    return seen


def test_the_page_works_from_the_keyboard(tmp_path: Path) -> None:
    seen = browse(page.html(drawn()), tmp_path)
    assert seen["headline"] == seen["title"] == "run: 3 Jobs of 2 nodes each, on 5 eligible nodes"
    assert seen["stops"] == 1
    job = "in group-0, Job run-group-0-iter-1"
    a1 = f"a1, {RACK}: r1, {job}, in group-2-overflow, Job run-group-2-overflow-iter-1"
    assert seen["labels"][0] == a1
    assert seen["labels"][3] == f"off, {RACK}: r1, left out: cordoned (spec.unschedulable)"
    assert seen["tip"] == a1.replace(", ", "\n").replace("group-0\nJob", "group-0, Job").replace(
        "overflow\nJob", "overflow, Job"
    )
    a2, a3 = seen["labels"][1:3]
    assert seen["moves"] == [a2, a3, a2, seen["labels"][-1], a1]
    # A node of two groups shows one, then the other.
    assert (seen["first"], seen["second"]) == (["group-0"], ["group-2"])
    assert seen["inside"] == ["0·2", "2"]
    assert seen["manifests"][0] == "TrainJob run-group-2-overflow-iter-1-workload"
    assert "kind: TrainJob" in seen["text"]
    assert (seen["cleared"], seen["list"], seen["active"], seen["last"]) == ([], ["group-0"], "group-0", ["group-2"])
    assert "cordoned (spec.unschedulable)off" in seen["out"]
    assert seen["requests"] == 0
    # Groups differ in colour, a borrowed node shows two, those left out have none.
    colours = seen["colours"]
    assert len({colours[index] for index in (0, 1, 2, 3, 4)}) == 5
    assert "linear-gradient" in colours[0]


def test_hostile_names_stay_text(tmp_path: Path) -> None:
    hostile = node("a", rack=EVIL)
    hostile["metadata"]["name"] = f"<img src=x onerror=alert(1)>{EVIL}"
    seen = browse(page.html(planner.plan(workflow(1, topology={"topologyKey": RACK}), [hostile])), tmp_path)
    assert seen["title"] == "run: 1 Job of 1 node, on 1 eligible node"
    assert seen["labels"][0].startswith(f"{hostile['metadata']['name']}, {RACK}: {EVIL}")
    assert seen["requests"] == 0
