"""The form `overrides`: a Workflow spec and a context in, the resolved spec or an error out."""

from collections.abc import Iterator, Mapping

from tests.cases import operation
from tests.cases.compare import Difference
from tests.cases.product import Product

# Every kind a case may have; None where the product cannot do it yet.
OPERATIONS: Mapping[str, operation.Operation | None] = dict.fromkeys(
    (
        "resolve",
        "gang",
        "labels",
        "workloadrun",
        "user-env",
        "mpi-args",
        "mpi-env",
        "pre-command",
        "rename",
        "runtime-gang",
        "compose",
    )
)


def check(folder: str, product: Product) -> Iterator[Difference]:
    """Every difference between the expected outcome of the kind and the product's."""
    return operation.check(folder, product, form="overrides", key="kind", operations=OPERATIONS)
