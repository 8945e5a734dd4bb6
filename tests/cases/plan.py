"""The form `plan`: one step of planning, or a whole plan."""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.cases import operation
from tests.cases.case import CaseError
from tests.cases.compare import Difference
from tests.cases.product import Product

# Every operation a case may have; None where the product cannot do it yet.
OPERATIONS: Mapping[str, operation.Operation | None] = dict.fromkeys(
    (
        "partition",
        "discover",
        "taint-match",
        "detect",
        "detect-platform",
        "capacity",
        "required-gpus",
        "job-size",
        "exclusion-summary",
        "affinity",
        "build-tolerations",
        "job-tolerations",
        "validate-placement",
        "validate-workloadrun-placement",
        "truncate",
        "names",
        "names-chain",
        "classify",
        "order",
        "rename",
        "is-resource-name",
        "trainjob",
        "plan",
    )
)


def check(folder: str, product: Product) -> Iterator[Difference]:
    """Every difference between the expected outcome of the operation and the product's."""
    return operation.check(folder, product, form="plan", key="operation", operations=OPERATIONS)


def runtime_patches(workflow: dict[str, Any], options: dict[str, Any], product: Product) -> list[Any]:
    """The runtime patches of the one Job that a plan makes of a resolved Workflow, on the options' nodes."""
    raise CaseError("plan: not built yet")
