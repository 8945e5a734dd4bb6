"""A case's WorkloadRun manifest, and what the runner adds to it."""

from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from tests.cases.compare import show
from tests.cases.document import Loader, dig, parse_all

PRODUCT_LABEL = "nvidia.com/gpu.product"
ANY_ARCHITECTURE = "h100"


def runs(text: str) -> list[dict[str, Any]]:
    """The mappings among the documents of a manifest; none where it cannot be read."""
    try:
        return [document for document in parse_all(text) if isinstance(document, dict)]
    except (yaml.YAMLError, ValueError):  # what is wrong with it is for the product to say
        return []


def names_product(text: str) -> bool:
    """Whether a run of the manifest says which GPU its nodes have."""
    return any(dig(run, "spec", "target", "nodeSelector", PRODUCT_LABEL) for run in runs(text))


def with_counts(text: str, counts: Mapping[str, Any]) -> str:
    """The manifest with each count its spec lacks put in front of the spec's first key.

    It stays text, so that the product reads it as it reads a user's file.
    """
    run = next(iter(runs(text)), {})
    place = _first_key_of_spec(text)
    lacking = {key: value for key, value in counts.items() if key not in (dig(run, "spec") or {})}
    if place is None or not lacking:
        return text
    index, separator = place
    inserted = "".join(f"{key}: {show(value)}{separator}" for key, value in lacking.items())
    return text[:index] + inserted + text[index:]


def _first_key_of_spec(text: str) -> tuple[int, str] | None:
    """Where the first key of the first run's spec stands, and what separates a key there from the next."""
    for key, value in _members_of_first_document(text):
        if key.value == "spec" and isinstance(value, yaml.MappingNode) and value.value:
            mark = value.value[0][0].start_mark
            index = mark.index + text.startswith("\ufeff")  # libyaml does not count it
            return index, ", " if value.flow_style else "\n" + " " * mark.column
    return None


def _members_of_first_document(text: str) -> Iterator[tuple[Any, Any]]:
    try:
        nodes = list(yaml.compose_all(text, Loader))
    except (yaml.YAMLError, ValueError):
        return
    mappings = (node for node in nodes if isinstance(node, yaml.MappingNode))
    first = next(mappings, None)
    yield from first.value if first else ()
