"""The platform blocks: which exist, which match, what they hold, and that they are those of the reference."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
import yaml

from nvcre_render import facts
from nvcre_render.document import from_mapping
from nvcre_render.lower import blocks
from nvcre_render.lower import workflow as lowering
from tests.manifests import FRAMEWORKS, Json, manifest, render

REFERENCE = Path(__file__).resolve().parents[2] / "shared" / "reference" / "platforms.yaml"
NVL72 = ("gb200", "gb300")


def known(framework: str, arch: str, platform: str | None = None, **spec: Any) -> tuple[Any, facts.Facts]:
    """Return a run and its facts."""
    run: Any = manifest(FRAMEWORKS[framework], **spec)
    found, _ = facts.resolve(run, from_mapping(run, "run.yaml"), platform, arch)
    assert found is not None
    return run, found


def listed(framework: str, arch: str, platform: str | None = None, **spec: Any) -> list[Json]:
    """Return every block of a run, filled, with the keys that are never printed."""
    return lowering.platform_blocks(*known(framework, arch, platform, **spec))


# Matching, as the reference tells it pair by pair


def expected(platform: str, arch: str, framework: str) -> list[str]:
    """Return the ids of the blocks that match."""
    mpi = framework == "mpi"
    found = ["nvl72-compute-domain"] if arch in NVL72 else []
    if arch in NVL72 and platform in ("aws", "gcp", "azure"):
        found.append(f"topology-{platform}")
    variant = "-mpi" if mpi else ""
    own: dict[tuple[str, str], list[str]] = {
        ("aws", "gb200"): ["aws-gb200-efa", f"aws-gb200-efa-env{variant}"],
        ("aws", "gb300"): [
            "aws-gb300-plugin-cleanup",
            *(["aws-gb300-plugin-none-mpi", "aws-gb300-transport-mpi"] if mpi else []),
            "aws-gb300-roce",
        ],
        ("aws", "h100"): ["aws-h100-efa", f"aws-h100-efa-env{variant}"],
        ("gcp", "gb200"): ["gcp-nvl72-roce"],
        ("gcp", "gb300"): ["gcp-nvl72-roce"],
        ("gcp", "h100"): ["gcp-h100-fastrak-env"],
        ("gcp", "rtxpro6000"): [f"gcp-rtxpro6000{variant}"],
        ("mistral", "gb300"): ["mistral-gb300-ib", *([] if mpi else ["mistral-gb300-ib-env"])],
        ("onprem", "gb200"): ["onprem-nvl72", *([] if mpi else ["onprem-nvl72-env"])],
        ("onprem", "gb300"): ["onprem-nvl72", *([] if mpi else ["onprem-nvl72-env"])],
        ("onprem", "b200"): ["onprem-hgx"],
        ("onprem", "b300"): ["onprem-hgx"],
        ("nscale", "b200"): ["nscale-dra", f"nscale-ib-env{variant}"],
        ("nscale", "gb300"): ["nscale-dra", f"nscale-ib-env{variant}"],
    }
    any_architecture = {
        "azure": ["azure-ib"],
        "togetherai": ["togetherai-ib", *([] if mpi else ["togetherai-ib-env"])],
    }
    return found + any_architecture.get(platform, own.get((platform, arch), []))


@pytest.mark.parametrize("framework", FRAMEWORKS)
@pytest.mark.parametrize("platform", facts.platforms())
def test_the_blocks_of_every_platform_and_architecture(platform: str, framework: str) -> None:
    for arch in facts.architectures():
        run, found = known(framework, arch, platform)
        matching = blocks.matching(lowering.platform_blocks(run, found), found)
        assert [block["id"] for block in matching] == expected(platform, arch, framework), arch


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_nothing_matches_while_the_platform_is_unknown(framework: str) -> None:
    run, found = known(framework, "gb300")
    assert blocks.matching(lowering.platform_blocks(run, found), found) == []


# Listing


@pytest.mark.parametrize(("framework", "count"), [("mpi", 22), ("torch", 23), ("exec", 23)])
def test_all_blocks_of_a_framework_are_listed_before_the_users(framework: str, count: int) -> None:
    own = [{"when": {}}, {"when": {"platform": {"equals": "aws"}}, "jobTemplate": {"metadata": {"labels": {"a": "b"}}}}]
    overrides = render(FRAMEWORKS[framework], overrides=own)["spec"]["overrides"]
    assert overrides[count:] == own
    assert [each["when"] for each in overrides[:count]] == [each["when"] for each in listed(framework, "h100")]
    keys = {"when", "jobTemplate", "dependencies", "orchestration"}
    assert all("when" in each and each.keys() <= keys for each in overrides)


def test_the_list_is_the_same_whatever_the_platform() -> None:
    lists = [render(arch="h100", platform=platform)["spec"]["overrides"] for platform in (None, "aws", "akamai")]
    assert lists[0] == lists[1] == lists[2]


def test_keys_that_are_used_up_while_building_leave_a_bare_when() -> None:
    bare = [each["when"] for each in render(FRAMEWORKS["mpi"])["spec"]["overrides"] if each.keys() == {"when"}]
    on_aws = {"platform": {"equals": "aws"}}
    assert bare == [
        *[{**on_aws, "gpuArchitecture": {"equals": "gb300"}}] * 3,
        {**on_aws, "gpuArchitecture": {"equals": "gb200"}},
        {**on_aws, "gpuArchitecture": {"equals": "h100"}},
        {"platform": {"equals": "nscale"}, "gpuArchitecture": {"in": ["b200", "gb300"]}},
    ]


# What the counts and the NIC resource decide


def resources(identifier: str, **spec: Any) -> Any:
    """Return the container resources of a block, None when it patches none."""
    (block,) = [each for each in listed("torch", "h100", **spec) if each["id"] == identifier]
    for patch in block.get("dependencies", []):
        if patch["kind"] == "TrainingRuntime":
            pod = patch["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
            return pod["containers"][0].get("resources") if "containers" in pod else None
    return None


@pytest.mark.parametrize(("identifier", "count"), [("azure-ib", 4), ("togetherai-ib", "4")])
def test_a_nic_request_is_a_number_on_one_platform_and_a_text_on_another(identifier: str, count: int | str) -> None:
    amount = {"nvidia.com/mlnxnics": count}
    assert resources(identifier, mlnxPerNode=4) == {"limits": amount, "requests": amount}
    (block,) = [each for each in listed("torch", "h100", mlnxPerNode=0) if each["id"] == identifier]
    assert block.keys() == {"id", "when"}
    assert blocks.as_override(block) == {"when": block["when"]}


@pytest.mark.parametrize("identifier", ["onprem-nvl72", "onprem-hgx"])
def test_on_premises_a_nic_is_requested_by_the_name_the_site_gives_it(identifier: str) -> None:
    amount = {"rdma/ib": "8"}
    assert resources(identifier, nicResourceName="rdma/ib") == {"limits": amount, "requests": amount}
    assert resources(identifier) is None
    assert resources(identifier, nicResourceName="rdma/ib", mlnxPerNode=0) is None


def test_device_claims_follow_the_counts() -> None:
    def claims(**spec: Any) -> tuple[dict[str, int], list[str], list[str]]:
        (block,) = [each for each in listed("torch", "h100", **spec) if each["id"] == "nscale-dra"]
        *templates, patch = block["dependencies"]
        requests = [each["spec"]["spec"]["devices"]["requests"][0] for each in templates]
        pod = patch["spec"]["template"]["spec"]["replicatedJobs"][0]["template"]["spec"]["template"]["spec"]
        counts = {each["name"]: each["exactly"]["count"] for each in requests}
        container = pod["containers"][0]["resources"]
        assert container["limits"] == container["requests"] == {"nvidia.com/gpu": None}
        return counts, [each["name"] for each in pod["resourceClaims"]], [each["name"] for each in container["claims"]]

    assert claims(gpusPerNode=2, mlnxPerNode=1) == ({"gpu": 2, "rdma": 1}, ["gpu", "rdma"], ["gpu", "rdma"])
    assert claims(mlnxPerNode=0) == ({"gpu": 8}, ["gpu"], ["gpu"])


def test_a_compute_domain_has_the_nodes_of_one_job() -> None:
    for scale, nodes in ((None, 5), ("intra-node", 1)):
        (first, *_) = listed("torch", "gb300", numNodes=5, orchestration={"testScale": scale})
        assert first["dependencies"][0]["spec"]["numNodes"] == nodes
    assert listed("torch", "gb300", enableMNNVL=False)[0]["id"] == "nvl72-compute-domain"


# Against the reference's own data


def build(reference: Json, identifier: str, inputs: Json) -> Json | None:
    """Return a block as the reference data describes it, None where it does not exist."""
    (block,) = [each for each in reference["blocks"] if each["id"] == identifier]
    gate = block.get("conditions", {})
    mpi = inputs["framework"] == "mpi"
    if ("framework" in gate and not mpi) or ("frameworkNot" in gate and mpi):
        return None
    made = {key: block[key] for key in ("id", "when", "orchestration", "preCommand") if key in block}
    if "mpiArgs" in block:
        made["mpiArgs"] = expand(block["mpiArgs"], inputs)
    if "env" in block:
        env = expand(block["env"], inputs)
        made["jobTemplate"] = {"spec": {"workload": {"trainJob": {"trainer": {"env": env}}}}}
    dependencies = [dependency(each, inputs) for each in block.get("dependencies", []) if stays(each, inputs)]
    if dependencies:
        made["dependencies"] = dependencies
    return made


def stays(value: Any, inputs: Json) -> bool:
    """Tell whether the condition of an element holds: one of the few texts the reference uses."""
    if not isinstance(value, dict) or "$if" not in value:
        return True
    gpus, nics = inputs["gpusPerNode"], inputs["mlnxPerNode"]
    conditions: dict[str, bool] = {
        "mlnxPerNode > 0": nics > 0,
        "nicResourceName != '' and mlnxPerNode > 0": inputs["nicResourceName"] != "" and nics > 0,
        "gpusPerNode == 8": gpus == 8,
        "gpusPerNode in [2, 4]": gpus in (2, 4),
        "gpusPerNode in [2, 4, 8]": gpus in (2, 4, 8),
        "enableMNNVL": inputs["enableMNNVL"],
        "not enableMNNVL": not inputs["enableMNNVL"],
    }
    return conditions[value["$if"]]


def expand(value: Any, inputs: Json) -> Any:
    if isinstance(value, str):
        return value.replace("${name}", inputs["name"]).replace("${nicResourceName}", inputs["nicResourceName"])
    if isinstance(value, list):
        return [expand(item, inputs) for item in value if stays(item, inputs)]
    if not isinstance(value, dict):
        return value
    if "$int" in value:
        return inputs[value["$int"]]
    if "$str" in value:
        return str(inputs[value["$str"]])
    if "$mnnvl" in value:
        return "1" if inputs["enableMNNVL"] else "0"
    if "$value" in value:
        return value["$value"]
    kept = {key: item for key, item in value.items() if key != "$if" and stays(item, inputs)}
    return {expand(key, inputs): expand(item, inputs) for key, item in kept.items()}


def dependency(entry: Json, inputs: Json) -> Any:
    if "object" in entry:
        return expand(entry["object"], inputs)
    patch = entry["runtime"]
    pod = expand(patch.get("pod", {}), inputs)
    if "container" in patch and stays(patch["container"], inputs):
        pod["containers"] = [expand(patch["container"], inputs)]
    template: Json = {"spec": {"template": {"spec": pod}}}
    if "jobAnnotations" in patch:
        template["metadata"] = {"annotations": patch["jobAnnotations"]}
    return {
        "apiVersion": "trainer.kubeflow.org/v1alpha1",
        "kind": "TrainingRuntime",
        "metadata": {"name": f"{inputs['name']}-runtime"},
        "spec": {"template": {"spec": {"replicatedJobs": [{"name": patch["job"], "template": template}]}}},
    }


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference data is not at hand")
def test_every_block_is_the_references() -> None:
    reference = yaml.safe_load(REFERENCE.read_text())
    identifiers = [block["id"] for block in reference["blocks"]]
    assert len(identifiers) == 29
    compared = set()
    for framework, gpus, nics, nic, mnnvl in itertools.product(
        FRAMEWORKS, (1, 2, 4, 8), (0, 1, 8), ("", "rdma/ib"), (False, True)
    ):
        fields: Json = {"gpusPerNode": gpus, "mlnxPerNode": nics, "enableMNNVL": mnnvl}
        inputs = {**fields, "name": "run", "framework": framework, "nicResourceName": nic, "nodesPerJob": 2}
        made = [build(reference, identifier, inputs) for identifier in identifiers]
        ours = listed(framework, "h100", nicResourceName=nic or None, **fields)
        assert ours == [block for block in made if block is not None]
        compared |= {block["id"] for block in ours}
    assert compared == set(identifiers)


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference data is not at hand")
def test_hardware_and_platforms_are_the_references() -> None:
    reference = yaml.safe_load(REFERENCE.read_text())
    assert list(facts.platforms()) == reference["platforms"]["names"]
    for name, architecture in reference["gpuArchitectures"]["examples"].items():
        assert facts.parse_architecture(name) == architecture
    table = reference["nodeDefaults"]
    for platform, arch in itertools.product((None, *facts.platforms()), facts.architectures()):
        counts = {**table["byArch"][arch], **table["byPlatform"].get(platform, {}).get(arch, {})}
        found = known("torch", arch, platform)[1]
        assert {"gpusPerNode": found.gpus_per_node, "mlnxPerNode": found.mlnx_per_node} == counts
