"""Operations: what a `case.yaml` asks for, looked up by name."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tests.cases.case import CaseError
from tests.cases.compare import Difference
from tests.cases.document import load_mapping
from tests.cases.product import Product

Operation = Callable[[dict[str, Any], Product], Iterator[Difference]]


def check(
    folder: str, product: Product, *, form: str, key: str, operations: Mapping[str, Operation | None]
) -> Iterator[Difference]:
    """Every difference the operation finds that the key of the folder's `case.yaml` names."""
    case = load_mapping(os.path.join(folder, "case.yaml"))
    name = str(case.get(key))
    if name not in operations:
        raise CaseError(f"unknown {key} of form {form}: {name}")
    run = operations[name]
    if run is None:
        raise CaseError(f"{form} {name}: not built yet")
    yield from run(case, product)
