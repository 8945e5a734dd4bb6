"""The form `executor`: a KubeflowExecutor's settings in, the TrainJob and its companions out."""

from collections.abc import Iterator

from tests.cases.case import CaseError
from tests.cases.compare import Difference
from tests.cases.product import Product


def check(folder: str, product: Product) -> Iterator[Difference]:
    """Every difference between the expected files and what the product makes of `executor.yaml`."""
    raise CaseError("executor: not built yet")
